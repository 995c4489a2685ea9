import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ChallengeFactor, SmsOtp } from 'passport-sms-otp';
import type { Express } from 'express';
import { answering, throwing } from '../support/tampered-store';
import { ALICE } from '../support/test-app';
import { type Answer, seen, type Visit, visit, visitOverTls } from '../support/visit';
import { useOwnApps } from '../support/use-app';

/** What Redis answers, and has written nothing then. */
const refusing = (): Promise<never> =>
  Promise.reject(new Error("READONLY You can't write against a read only replica."));

const TEN = 10;

let versionFails = false;
/** First recovery codes are for a user without other factors. */
let hasOthers = false;
let check: () => boolean | Promise<boolean>;
beforeEach(() => {
  versionFails = hasOthers = false;
  check = () => true;
});

const KEY: ChallengeFactor = {
  name: 'key',
  amr: 'hwk',
  field: 'response',
  isAvailable: () => hasOthers,
  createOptions: ({ challenge }) => ({ challenge }),
  checkResponse: () => true,
};

function addFactorRoutes(app: Express, smsOtp: SmsOtp): void {
  const { optionsWith, verifyWith } = smsOtp;
  if (optionsWith === undefined || verifyWith === undefined) throw new Error('no factors');
  app.post('/key/options', optionsWith('key'));
  for (const name of ['key', 'card'])
    app.post(`/${name}`, verifyWith(name), (req, res) => void res.json(req.smsOtp));
}

const test = useOwnApps(() => ({
  hasFactors: true,
  isTampered: true,
  options: {
    recoveryCodes: { count: 20 },
    factors: [KEY, { name: 'card', isAvailable: () => hasOthers, check: () => check() }],
    trustedDevices: {
      getPasswordVersion: () => {
        if (versionFails) throw new Error('the users table does not answer');
        return 'first';
      },
    },
  },
  routes: addFactorRoutes,
}));

let codes: readonly string[] = [];

/** How each factor is passed, with what a ticked box sends. */
const FACTORS = {
  sms: (visitor: Visit, more: object) => visitor.enterRight(more),
  card: (visitor: Visit, more: object) => visitor.post('/card', { pin: 'right', ...more }),
  async key(visitor: Visit, more: object) {
    await visitor.post('/key/options');
    return visitor.post('/key', { response: { signed: true }, ...more });
  },
  async 'recovery-code'(visitor: Visit) {
    const [code = 'none', ...others] = codes;
    codes = others;
    return visitor.recover(code);
  },
} as const;

type Factor = keyof typeof FACTORS;

/** What fails after the code was right, and how it is repaired. */
const FAILURES = {
  'the app cannot say the password version': {
    status: 500,
    more: { trustDevice: 'on' },
    fail: () => {
      versionFails = true;
    },
  },
  'the store refuses the success': {
    status: 503,
    more: {},
    fail: () => test.tampered.tamper('finish', refusing),
  },
  'the answer of the store is lost': {
    status: 503,
    more: {},
    fail: () => test.tampered.tamper('finish', throwing),
  },
  'the success changes nothing': {
    status: 401,
    more: {},
    fail: () => test.tampered.tamper('finish', answering({ isFinished: false })),
  },
  'the session cannot be saved': {
    status: 503,
    more: {},
    fail: () => {
      test.sessions.failSets = true;
    },
  },
} as const;

type Failure = keyof typeof FAILURES;

function repair(): void {
  versionFails = false;
  test.sessions.failSets = false;
  test.tampered.heal();
}

async function failAndRepair(visitor: Visit, factor: Factor, failure: Failure): Promise<Answer> {
  const { fail, more } = FAILURES[failure];
  const sent = await visitor.login();
  expect([sent.status, sent.body]).toMatchObject([200, { sent: true }]);
  fail();
  const answer = await FACTORS[factor](visitor, more);
  repair();
  // The gap after a message is never refunded.
  test.clock.advanceSeconds(1_800);
  return answer;
}

const ROWS = (Object.keys(FACTORS) as Factor[]).flatMap((factor) =>
  (Object.keys(FAILURES) as Failure[])
    // A recovery code trusts no device.
    .filter((failure) => factor !== 'recovery-code' || FAILURES[failure].status !== 500)
    .map((failure) => [factor, failure] as const),
);

describe.each([
  ['a new browser', false],
  ['a known browser', true],
])('in %s', (_where, isKnown) => {
  it.each(ROWS)('the eleventh right %s works after ten times that %s', async (factor, failure) => {
    await test.start();
    codes = await test.firstCodes();
    hasOthers = true;
    test.clock.advanceSeconds(1);
    const known = visitOverTls(test);
    // It also proves the number: messages to others are fewer.
    await known.logIn();
    known.leave();
    test.clock.advanceSeconds(1_800);
    const visitor = isKnown ? known : visit(test);
    for (let time = 0; time < TEN; time += 1)
      expect((await failAndRepair(visitor, factor, failure)).status).toBe(FAILURES[failure].status);
    expect(test.told('locked')).toEqual([]);
    expect(test.told('disabled')).toEqual([]);

    const failures = test.told('failure-count-changed').map(({ failures: count }) => count);
    expect(failures.filter((count) => count !== 0)).toEqual([]);
    const { body } = await visitor.login();
    // Messages whose code is not entered are counted: another factor needs none.
    expect(body).toMatchObject(factor === 'sms' ? { sent: true } : {});
    expect((await FACTORS[factor](visitor, {})).body).toMatchObject({ verified: true });
  });
});

const LONG = 'x'.repeat(4_000);

it.each([
  ['a box that is no box', { trustDevice: { $gt: '' } }, {}],
  ['a box in a list', { trustDevice: ['on', 'on'] }, {}],
  ['a very long box', { trustDevice: LONG }, {}],
  ['a box, and a device of no one', { trustDevice: 'on' }, { cookie: '__Host-sms-otp-device=x' }],
  ['a box, and a browser without a name', { trustDevice: 'on' }, { 'user-agent': '' }],
  ['a box, and a very long browser', { trustDevice: 'on' }, { 'user-agent': LONG }],
  ['an unknown language', { locale: {} }, { 'accept-language': `${LONG};q=9` }],
])('a request with %s does not make a right code fail', async (_what, more, headers) => {
  await test.start();
  const visitor = visitOverTls(test);
  await visitor.login();
  const asked = visitor.ask('post', '/login/pin').type('json');
  for (const [name, value] of Object.entries<string>(headers)) {
    const sid = `connect.sid=${visitor.cookies.get('connect.sid')}`;
    asked.set(name, name === 'cookie' ? `${sid}; ${value}` : value);
  }
  const { body } = await asked.send({ pin: test.code(), ...more });
  expect(body).toMatchObject({ verified: true });
});

describe('a right code whose success changes nothing', () => {
  it('is answered as a login that is over', async () => {
    await test.start();
    const visitor = visit(test);
    await visitor.login();
    test.tampered.tamper('finish', async (work, pendingId) => {
      // Another request ends the login after the gateway has said "right".
      await test.tampered.store.pendingLogins.end(String(pendingId));
      return work();
    });
    expect(seen(await visitor.enterRight())).toEqual([401, { error: 'no-pending-login' }]);
    expect((await visitor.status()).body.pending).toBeNull();
    expect(test.told('rejected').map(({ reason }) => reason)).toEqual(['no-pending-login']);
  });

  it('is answered as already verified where another request has passed', async () => {
    await test.start();
    hasOthers = true;
    const [visitor, body] = [visit(test), { pin: 'right' }];
    await visitor.login();
    let waiting = 2;
    let go: (isRight: boolean) => void = () => undefined;
    const together = new Promise<boolean>((resolve) => {
      go = resolve;
    });
    // The factor finds both right, and at the same moment.
    check = () => {
      waiting -= 1;
      if (waiting === 0) go(true);
      return together;
    };
    const answers = await Promise.all([visitor.post('/card', body), visitor.post('/card', body)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await countFailures(ALICE.id)).toBe(0);
    const failures = test.told('failure-count-changed').map(({ failures: count }) => count);
    expect(failures).toEqual([0]);
  });
});

async function countFailures(userId: string): Promise<number | undefined> {
  const counter = { key: `failures:others:${userId}`, windowSeconds: null, amount: 0 };
  const { counts } = await test.tampered.store.counters.charge([{ ...counter, isOnlyRead: true }]);
  return counts[0]?.count;
}
