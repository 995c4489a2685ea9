import { beforeEach, describe, expect, it } from '@jest/globals';
import { useApp } from '../support/use-app';
import type { TestApp } from '../support/test-app';
import { BOB } from '../support/test-users';
import type { Visit } from '../support/visit';
import {
  enterPassword,
  everything,
  logIn,
  makeCodes,
  ownFactors,
  PAGES,
  submit,
} from './support/pages-app';

/** Calls of the store that only read. */
const READS = new Set(['find', 'records.find', 'records.list']);

const ASSETS = ['pages.css', 'pages.js', 'logo.svg', 'accent.css'];
/** Pages, assets, forms that are asked for as pages, and an address that is not there. */
const ADDRESSES = [
  ...PAGES,
  ...ASSETS,
  ...['resend', 'cancel', 'factor-passkey-options', 'confirm-number', 'remove-number'],
  ...['default-number', 'forget-device', 'end-login', 'end-logins', 'log-out', 'nothing-here', ''],
  'add-number?replaces=x&replaces[]=y',
  'code?pin=123456&recoveryCode=x',
];

const VISIT = { accept: 'text/html' };

type State = 'nothing' | 'pending' | 'fresh' | 'old' | 'without a factor' | 'step-up';

describe('a GET of the pages', () => {
  const test = useApp(() => ({
    ...everything(
      { accent: '#0a5' },
      { factors: ownFactors(new Set(['alice'])), trustedDevices: trusted },
    ),
    isTampered: true,
  }));
  const trusted = { getPasswordVersion: () => 'first' };
  let browser: Visit;
  beforeEach(() => {
    browser = test.browser();
  });

  const states: Readonly<Record<State, () => Promise<unknown>>> = {
    nothing: () => Promise.resolve(),
    pending: () => enterPassword(browser),
    fresh: async () => {
      await logIn(test, browser);
      await makeCodes(browser);
    },
    old: async () => {
      await logIn(test, browser);
      test.clock.advanceSeconds(400);
    },
    'step-up': async () => {
      await logIn(test, browser);
      test.clock.advanceSeconds(400);
      await submit(browser, 'step-up');
    },
    'without a factor': () => enterPassword(browser, BOB.id),
  };

  describe.each(Object.keys(states) as State[])('in the state: %s', (state) => {
    beforeEach(() => states[state]());

    it.each([
      ['get', VISIT],
      ['head', VISIT],
      ['get', { ...VISIT, 'sec-purpose': 'prefetch;prerender' }],
      ['get', { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site', ...VISIT }],
    ] as const)('changes nothing by %s with %j', async (method, headers) => {
      const before = countEffects(test);
      const sessions = readSessions(test);
      for (const page of ADDRESSES) {
        const asked = browser.ask('get', `/second-factor/${page}`).set(headers);
        asked.method = method.toUpperCase();
        const { status } = await asked;
        expect([page, status >= 500]).toEqual([page, false]);
      }
      expect(countEffects(test)).toEqual(before);
      expect(readSessions(test)).toEqual(sessions);
    });
  });

  it('writes the session to use up the notice that it shows, and for nothing else', async () => {
    await enterPassword(browser);
    await submit(browser, 'code', { pin: '000000' });
    const { length } = test.sessions.writes;
    for (const headers of [{ 'sec-purpose': 'prefetch' }, { 'sec-fetch-dest': 'iframe' }])
      await browser
        .ask('get', '/second-factor/code')
        .set({ ...VISIT, 'sec-fetch-mode': 'navigate', ...headers });
    expect(test.sessions.writes).toHaveLength(length);
    const first = await browser.ask('get', '/second-factor/code').set(VISIT);
    expect(first.text).toContain('That code is not correct');
    expect(test.sessions.writes).toHaveLength(length + 1);
    const second = await browser.ask('get', '/second-factor/code').set(VISIT);
    expect(second.text).not.toContain('That code is not correct');
    expect(test.sessions.writes).toHaveLength(length + 1);
  });

  it('sends nothing by OPTIONS', async () => {
    await enterPassword(browser);
    const before = countEffects(test);
    for (const page of ADDRESSES) {
      const asked = browser.ask('get', `/second-factor/${page}`);
      asked.method = 'OPTIONS';
      await asked;
    }
    expect(countEffects(test)).toEqual(before);
  });
});

function countEffects(test: TestApp): object {
  return {
    messages: test.sim.outbox.length,
    checks: test.sim.stats().calls.validate,
    // Reading is told as well.
    events: test.events.map(({ type }) => type).filter((type) => type !== 'store-call'),
    written: test.tampered.calls.map(({ call }) => call).filter((call) => !READS.has(call)),
    phoneBook: [...test.book.changes],
    logins: [...test.logins],
  };
}

const TRACES = ['version', 'notice', 'noticeUntil', 'retryAt', 'returnTo'];

/** The sessions, but for what a guard leaves for the page that it leads to. */
function readSessions({ sessions }: TestApp): unknown[] {
  return sessions
    .ids()
    .map((id) => {
      const { smsOtp = {}, ...rest } = sessions.rest(id) ?? {};
      const kept = Object.entries(smsOtp as object).filter(([name]) => !TRACES.includes(name));
      return { id, rest: { ...rest, cookie: null }, smsOtp: Object.fromEntries(kept) };
    })
    .filter(({ rest, smsOtp }) => Object.keys(rest).length > 1 || Object.keys(smsOtp as object)[0]);
}
