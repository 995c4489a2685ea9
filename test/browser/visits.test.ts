import { afterAll, beforeAll, expect, it, describe } from '@jest/globals';
import type { Express } from 'express';
import type { Page } from 'playwright-core';
import type { SmsOtp } from 'passport-sms-otp';
import { startTestApp, type TestApp } from '../support/test-app';
import { inChromium, useChromium } from './chromium';

/** Everything by which a page makes Chromium fetch another one without going there. */
const KINDS = {
  prefetch:
    '<script type="speculationrules">{"prefetch":[{"source":"list","urls":["/kept"]}]}</script>',
  prerender:
    '<script type="speculationrules">{"prerender":[{"source":"list","urls":["/kept"]}]}</script>',
  link: '<link rel="prefetch" href="/kept">',
  frame: '<iframe src="/kept"></iframe>',
  object: '<object data="/kept" type="text/html"></object>',
  embed: '<embed src="/kept" type="text/html">',
  image: '<img src="/kept">',
  fetch: '<script>fetch("/kept", { headers: { accept: "text/html" } })</script>',
  beacon: '<script>navigator.sendBeacon("/kept", "x")</script>',
  frameForm:
    '<iframe name="f"></iframe><form method="post" action="/kept" target="f"></form>' +
    '<script>document.forms[0].submit()</script>',
};

const WORKER =
  "addEventListener('install', () => skipWaiting());" +
  "addEventListener('activate', (event) => event.waitUntil(clients.claim()));" +
  "addEventListener('fetch', (event) => event.request.mode === 'navigate' &&" +
  ' event.respondWith(fetch(event.request)));';

inChromium(describe)('what Chromium fetches', () => {
  const browser = useChromium();
  let test: TestApp;
  let seen: string[] = [];
  beforeAll(async () => {
    test = await startTestApp({ routes: addPages });
  });
  afterAll(() => test.close());

  function addPages(app: Express, { requireSecondFactor }: SmsOtp): void {
    for (const [name, html] of Object.entries(KINDS))
      app.get(`/by/${name}`, (_req, res) => void res.type('html').send(html));
    app.all('/kept', (req, _res, next) => {
      seen.push(req.method);
      next();
    });
    app.all('/kept', requireSecondFactor({ redirect: '/open-page' }));
    app.get('/open-page', (_req, res) => void res.type('html').send('<p>open</p>'));
    app.get('/worker.js', (_req, res) => void res.type('js').send(WORKER));
    app.get('/with-worker', (_req, res) => {
      const register = 'navigator.serviceWorker.register("/worker.js")';
      const script = `${register}.then(() => navigator.serviceWorker.ready)`;
      res.type('html').send(`<script>${script}.then(() => (document.title = 'ready'))</script>`);
    });
  }

  async function open(path: string): Promise<Page> {
    const { port } = Object(test.server.address()) as { port: number };
    const page = await (await browser().newContext()).newPage();
    seen = [];
    await page.goto(`http://127.0.0.1:${port}${path}`);
    return page;
  }

  const sessions = (): string => test.sessions.dump();

  it.each(Object.keys(KINDS))('by %s is no visit: a guard keeps nothing of it', async (name) => {
    const before = sessions();
    const page = await open(`/by/${name}`);
    for (let turns = 0; seen.length === 0 && turns < 100; turns += 1) await page.waitForTimeout(50);
    await page.waitForTimeout(100);
    expect(seen.length).toBeGreaterThan(0);
    expect(sessions()).toBe(before);
    await page.context().close();
  });

  it('by going there is a visit, also behind a service worker', async () => {
    for (const path of ['/open-page', '/with-worker']) {
      const page = await open(path);
      if (path === '/with-worker') await page.waitForFunction(() => document.title === 'ready');
      const before = sessions();
      await page.goto(new URL('/kept', page.url()).href);
      expect(new URL(page.url()).pathname).toBe('/open-page');
      expect(sessions()).not.toBe(before);
      await page.context().close();
    }
  });
});
