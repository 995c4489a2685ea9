import { describe, expect, it } from '@jest/globals';
import { type AppDescription, appChecks, AppCheckError, HOLES } from 'passport-sms-otp/testing';
import { NotApplicable } from '../checks/app/failure';
import { findProblem, readLinks } from '../docs/support/links';
import { readPage } from '../docs/support/pages';

const PAGE = 'docs/test-your-own-app.md';
const page = readPage(PAGE);
const holes = Object.entries(HOLES);

/** Describes nothing but what is needed, of an app that is never started. */
const BARE: AppDescription = {
  start: () => {
    throw new Error('nothing is started');
  },
  simulator: () => {
    throw new Error('nothing is simulated');
  },
  users: [
    { name: 'alice', phone: '+12025550123' },
    { name: 'bob', phone: '+13125550177' },
  ],
  login: { path: '/login', password: () => '' },
  code: { path: '/login/pin' },
  guarded: ['/account'],
};

describe('the holes', () => {
  it.each(holes)('%s has a page that fixes it', (_name, hole) => {
    expect(findProblem(readPage('README.md'), hole.page)).toBeNull();
  });

  it.each(holes)('%s has a row on the page, with its meaning and what fixes it', (name, hole) => {
    const row = page.text.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? '';
    expect(row).toContain(hole.meaning);
    const link = hole.page.replace('docs/', '');
    expect(readLinks({ path: PAGE, text: row })).toContain(link);
  });

  it('are as many as the pages say', () => {
    const { length } = holes;
    const told = [page.text, readPage('README.md').text].map((text) =>
      / of (\d+) holes/.exec(text),
    );
    expect(told.map((found) => Number(found?.[1]))).toEqual([length, length]);
    const checks = `${appChecks(BARE).length} checks find ${length} holes`;
    expect(readPage('CHANGELOG.md').text).toContain(checks);
  });

  it('and what to do where nothing can be judged stand on pages that are there', () => {
    const { page: link } = new AppCheckError({ hole: null, finding: 'Nothing.', done: [] });
    expect(findProblem(readPage('README.md'), link)).toBeNull();
  });
});

describe('the page about testing your own app', () => {
  it('is among the first of the index', () => {
    const pages = readLinks(readPage('docs/README.md')).filter((link) => /^[\w-]+\.md$/.test(link));
    expect(pages.slice(0, 4)).toContain('test-your-own-app.md');
  });
});

describe('the checks of an app', () => {
  const checks = appChecks(BARE);

  it('look for every hole, and each has a title of its own', () => {
    expect(new Set(checks.flatMap((check) => check.holes))).toEqual(new Set(Object.keys(HOLES)));
    expect(new Set(checks.map(({ title }) => title)).size).toBe(checks.length);
    expect(checks.length).toBeGreaterThanOrEqual(30);
  });

  it('are not applicable where the app is not described, say so in the title, and start nothing', async () => {
    const logout = checks.find(({ title }) => title.startsWith('a logout closes'));
    const reason = 'the description has no logout';
    expect(logout).toMatchObject({
      title: `a logout closes the guarded pages (not applicable: ${reason})`,
      notApplicable: reason,
    });
    expect(await logout?.run()).toEqual({ outcome: 'not-applicable', reason });
  });

  it('about sessions are not applicable to an app that answers with a token', () => {
    const described = appChecks({
      ...BARE,
      token: { field: 'token' },
      logout: { path: '/logout' },
    });
    const reasons = described.map(({ notApplicable }) => notApplicable);
    expect(reasons).toContain('the app keeps no session after the code');
  });

  it('are those about two users and a guarded page', () => {
    expect(() => appChecks({ ...BARE, users: BARE.users.slice(1) })).toThrow(
      new TypeError('appChecks: users must have at least two users'),
    );
    expect(() => appChecks({ ...BARE, guarded: [] })).toThrow(
      new TypeError('appChecks: guarded must have at least one page'),
    );
  });

  it.each([
    'https://127.0.0.1',
    'http://bank.example',
    'http://10.0.0.5',
    'http://127.0.0.1.bank.example',
    'http://user:word@127.0.0.1',
    'http://0.0.0.0:3000',
    'nowhere',
  ])('are not asked of %s', async (baseUrl) => {
    let isClosed = false;
    const start = () => ({ baseUrl, close: () => (isClosed = true) });
    const [check] = appChecks({ ...BARE, start });
    await expect(check?.run()).rejects.toThrow(/loopback address/);
    expect(isClosed).toBe(true);
  });

  it('hand on what the app throws when it starts', async () => {
    const [check] = checks;
    await expect(check?.run()).rejects.toThrow('nothing is started');
    await expect(check?.run()).rejects.not.toBeInstanceOf(NotApplicable);
  });
});
