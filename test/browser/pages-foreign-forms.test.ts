import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FORMS, ownFactors } from '../pages/support/pages-app';
import { type SmallApp, startSmallApp } from '../pages/support/small-app';
import { HOST, logIn, openTab, type Tab } from '../pages/support/tab';
import { describeInCompleteRun } from '../support/complete-run';
import { waitUntil } from '../support/wait-until';
import { inChromium, useChromium } from './chromium';

/** A form that sends itself to the app, with what each form of the pages may need. */
const formTo = (action: string): string =>
  `<form method="post" action="${action}"><input name="pin" value="123456">` +
  '<input name="phone" value="+14155550188"><input name="deviceId" value="all">' +
  '<input name="recoveryCode" value="x"><input name="form" value="a form"></form>' +
  '<script>document.forms[0].submit()</script>';

const inFrame = (html: string): string =>
  `<iframe sandbox="allow-forms allow-scripts" srcdoc="${html.replaceAll('"', '&quot;')}"></iframe>`;

/** The host that the form comes from, on another port, and the page around it. */
const SENDERS: readonly [string, string, (html: string) => string][] = [
  ['another site', 'evil.localhost', (html) => html],
  ['another origin of this host', HOST, (html) => html],
  ['a subdomain', `evil.${HOST}`, (html) => html],
  ['a sandboxed frame of another site', 'evil.localhost', inFrame],
  ['a sandboxed frame of a subdomain', `evil.${HOST}`, inFrame],
  ['a sandboxed frame of this host', HOST, inFrame],
];

inChromium(describeInCompleteRun)('a form of the pages in Chromium', () => {
  const browser = useChromium();
  let app: SmallApp;
  let tab: Tab;
  let body = '';
  let senders: Server;
  let senderPort: number;
  beforeEach(async () => {
    senders = createServer((_req, res) => {
      res.setHeader('Content-Type', 'text/html');
      res.end(body);
    }).listen(0, '127.0.0.1');
    await once(senders, 'listening');
    ({ port: senderPort } = senders.address() as AddressInfo); // a TCP server's, never a string
    app = await startSmallApp({ factors: ownFactors(new Set(['alice'])) });
    tab = await openTab(browser(), app);
  });
  afterEach(async () => {
    senders.closeAllConnections();
    senders.close();
    await tab.close();
    await app.close();
  });

  /** The answers to forms, as the server has sent them: a frame never gets to show them. */
  function watchAnswers(): { status: number; origin: string | undefined }[] {
    const answers: { status: number; origin: string | undefined }[] = [];
    app.server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      if (req.method !== 'POST') return;
      res.on('finish', () => answers.push({ status: res.statusCode, origin: req.headers.origin }));
    });
    return answers;
  }

  it.each(SENDERS)('is refused from %s', async (_title, host, wrap) => {
    await logIn(app, tab.page);
    const { length: written } = app.sessions.writes;
    const { length: sent } = app.simulator.outbox;
    const calls = { ...app.simulator.stats().calls };
    const sender = `http://${host}:${senderPort}`;
    const answers = watchAnswers();
    for (const [at, form] of FORMS.entries()) {
      body = wrap(formTo(`http://${HOST}:${app.port}/second-factor/${form}`));
      await tab.page.goto(`${sender}/page`);
      await waitUntil(() => answers.length > at);
    }
    const origin = wrap === inFrame ? 'null' : sender;
    expect(answers).toEqual(FORMS.map(() => ({ status: 403, origin })));
    expect(app.sessions.writes).toHaveLength(written);
    expect(app.simulator.outbox).toHaveLength(sent);
    expect(app.simulator.stats().calls).toEqual(calls);
    await tab.page.goto('/second-factor/settings');
    await tab.page.getByText('Number ending in 23').waitFor();
  });

  it('is answered from its own page', async () => {
    await logIn(app, tab.page);
    const { length: sent } = app.simulator.outbox;
    await tab.page.goto('/second-factor/add-number');
    await tab.page.getByLabel('Mobile number').fill('+14155550188');
    await tab.page.keyboard.press('Enter');
    await tab.page.waitForURL('**/second-factor/code');
    expect(app.simulator.outbox).toHaveLength(sent + 1);
  });
});
