import { createHmac } from 'node:crypto';
import type { Express } from 'express';
import type { Counter, Factor, Policy, SmsOtp, SmsOtpOptions } from 'passport-sms-otp';
import type { FinishFault } from './real-features';
import { type seen, visitOverTls, type Visit } from './visit';
import type { TestApp, TestAppOptions } from './test-app';
import { asTestUser, NEW } from './test-users';

/** The apps in which all features are used: no app can have all of them. */
export const APPS = {
  /** Every feature but the phone book. */
  whole: {
    hasFactors: true,
    isTampered: true,
    options: { factors: [totp(), key()], policies: [freePolicy(), paidPolicy()] },
    routes: addFactorRoutes,
  },
  /** The phone book in place of `getPhone`. */
  book: { hasPhones: true, isTampered: true },
  /** Every feature that can be turned off is off. */
  bare: { isTampered: true, options: { logins: false, knownBrowsers: false } },
} satisfies Record<string, TestAppOptions>;

export type AppName = keyof typeof APPS;

/** What a person or an operator does in an app, after what has to come first. */
export interface Act {
  readonly app: AppName;
  /** Options in place of those of the app. */
  readonly options?: Partial<SmsOtpOptions>;
  readonly before?: (world: World) => Promise<unknown>;
  /** How the store ends the call that writes the success. Left out: it writes it. */
  readonly finish?: FinishFault;
  readonly act: (world: World) => Promise<string>;
}

export interface World {
  readonly test: TestApp;
  readonly alice: Visit;
  /** What the act needs from what came before. */
  readonly kept: { response?: object; code?: string | undefined };
}

export function startWorld(test: TestApp): World {
  return { test, alice: visitOverTls(test), kept: {} };
}

const APP_CODE = '246810';

/** An authenticator app. */
function totp(): Factor {
  return { name: 'totp', isAvailable: hasSetUp, check: ({ code }) => code === APP_CODE };
}

/** A user without a number has set up nothing else either: then the first codes may be made. */
function hasSetUp(user: Express.User): boolean {
  return asTestUser(user).phone !== null;
}

/** A passkey, which signs the challenge. */
function key(): Factor {
  return {
    name: 'key',
    field: 'response',
    isAvailable: hasSetUp,
    createOptions: ({ challenge }) => ({ challenge }),
    checkResponse: ({ challenge, response }) =>
      (response as { signature?: unknown }).signature === sign(challenge),
  };
}

function sign(challenge: string): string {
  return createHmac('sha256', 'a key').update(challenge).digest('hex');
}

/** A policy that counts messages, and is told how they ended. */
function freePolicy(): Policy {
  return {
    name: 'quota',
    stage: 'send',
    check: async ({ counters }): Promise<'allow'> => {
      await counters.charge([quota({ isOnlyRead: true })]);
      return 'allow';
    },
    charges: async ({ counters }) => {
      await counters.charge([quota({ isOnlyRead: true })]);
      return [{ counter: quota({ max: 100 }), reason: 'quota' }];
    },
    settle: ({ counters }) => counters.charge([quota({ amount: 0, isOnlyRead: true })]),
    verified: ({ counters }) => counters.charge([quota({ amount: 0, isOnlyRead: true })]),
  };
}

/** A policy that pays for a lookup, counts the numbers that it would refuse, and refuses none. */
function paidPolicy(): Policy {
  return {
    name: 'paid',
    stage: 'send',
    mode: 'report',
    needsLookup: true,
    check: () => 'allow',
    charges: () => [{ counter: { ...quota({ max: 100 }), key: 'paid:all' }, reason: 'quota' }],
  };
}

function quota(more: Partial<Counter>): Counter {
  return { key: 'quota:all', windowSeconds: 3600, ...more };
}

function addFactorRoutes(app: Express, { verifyWith, optionsWith }: SmsOtp): void {
  if (verifyWith === undefined || optionsWith === undefined) throw new Error('no factors');
  app.post('/totp', verifyWith('totp'), (req, res) => void res.json(req.smsOtp));
  app.post('/key/options', optionsWith('key'));
  app.post('/key', verifyWith('key'), (req, res) => void res.json(req.smsOtp));
}

/** Everything that makes a feature's call run. */
export const ACTS = {
  login: { app: 'whole', act: ({ alice }) => say(alice.login()) },
  'login with book': { app: 'book', act: ({ alice }) => say(alice.login()) },
  'refused login': {
    app: 'whole',
    before: ({ test }) => test.store.counters.charge([quota({ amount: 100 })]),
    act: ({ alice }) => say(alice.login()),
  },
  'login with no factor': {
    app: 'whole',
    options: { isRequiredFor: () => false },
    act: ({ alice }) => say(alice.login()),
  },
  'login with device': {
    app: 'whole',
    before: beTrusted,
    act: ({ alice }) => say(alice.login()),
  },
  'login with device, unsaved': {
    app: 'whole',
    before: async (world) => {
      await beTrusted(world);
      world.test.sessions.failSets = true;
    },
    act: ({ alice }) => say(alice.login()),
  },
  'login with device, lost': {
    app: 'whole',
    before: beTrusted,
    finish: 'lost',
    act: ({ alice }) => say(alice.login()),
  },
  'login with stolen device': {
    app: 'whole',
    before: async (world) => {
      const { alice, test } = world;
      await beTrusted(world);
      const { device } = alice;
      await alice.login();
      alice.leave();
      test.clock.advanceSeconds(60);
      alice.device = device;
    },
    act: ({ alice }) => say(alice.login()),
  },
  resend: {
    app: 'whole',
    before: async ({ alice, test }) => {
      await alice.login();
      test.clock.advanceSeconds(60);
    },
    act: ({ alice }) => say(alice.resend()),
  },
  code: {
    app: 'whole',
    before: ({ alice }) => alice.login(),
    act: ({ alice }) => say(alice.enterRight({ trustDevice: 'on' })),
  },
  'code, unsaved': {
    app: 'whole',
    before: async ({ alice, test }) => {
      await alice.login();
      test.sessions.failSets = true;
    },
    act: ({ alice }) => say(alice.enterRight({ trustDevice: 'on' })),
  },
  'code, lost': {
    app: 'whole',
    before: ({ alice }) => alice.login(),
    finish: 'lost',
    act: ({ alice }) => say(alice.enterRight({ trustDevice: 'on' })),
  },
  'recovery code': {
    app: 'whole',
    before: async ({ alice, test, kept }) => {
      kept.code = (await test.firstCodes())[0];
      await alice.login();
    },
    act: ({ alice, kept }) => say(alice.recover(kept.code, { trustDevice: 'on' })),
  },
  'recovery code, unsaved': {
    app: 'whole',
    before: async ({ alice, test, kept }) => {
      kept.code = (await test.firstCodes())[0];
      await alice.login();
      test.sessions.failSets = true;
    },
    act: ({ alice, kept }) => say(alice.recover(kept.code)),
  },
  totp: {
    app: 'whole',
    before: ({ alice }) => alice.login(),
    act: ({ alice }) => say(alice.post('/totp', { pin: APP_CODE })),
  },
  'key options': {
    app: 'whole',
    before: ({ alice }) => alice.login(),
    act: ({ alice }) => say(alice.post('/key/options')),
  },
  key: {
    app: 'whole',
    before: async ({ alice, kept }) => {
      await alice.login();
      const { challenge } = (await alice.post('/key/options')).body as { challenge: string };
      kept.response = { signature: sign(challenge) };
    },
    act: ({ alice, kept }) => say(alice.post('/key', { response: kept.response })),
  },
  'step-up code': {
    app: 'whole',
    before: async ({ alice, test }) => {
      await alice.logIn();
      test.clock.advanceSeconds(60);
      await alice.stepUp();
    },
    act: ({ alice }) => say(alice.enterRight()),
  },
  'step-up code, unsaved': {
    app: 'whole',
    before: async ({ alice, test }) => {
      await alice.logIn();
      test.clock.advanceSeconds(60);
      await alice.stepUp();
      test.sessions.failSets = true;
    },
    act: ({ alice }) => say(alice.enterRight()),
  },
  'step-up code, lost': {
    app: 'whole',
    before: async ({ alice, test }) => {
      await alice.logIn();
      test.clock.advanceSeconds(60);
      await alice.stepUp();
    },
    finish: 'lost',
    act: ({ alice }) => say(alice.enterRight()),
  },
  'step-up': {
    app: 'whole',
    before: async ({ alice, test }) => {
      await alice.logIn();
      test.clock.advanceSeconds(60);
    },
    act: ({ alice }) => say(alice.stepUp()),
  },
  guard: {
    app: 'whole',
    before: async ({ alice, test }) => {
      await alice.logIn();
      test.clock.advanceSeconds(60);
    },
    act: ({ alice }) => say(alice.account()),
  },
  'second password': {
    app: 'whole',
    before: async ({ alice, test }) => {
      await alice.logIn();
      test.clock.advanceSeconds(60);
    },
    act: ({ alice }) => say(alice.login()),
  },
  'new number': {
    app: 'book',
    before: beginNumber,
    act: ({ alice }) => say(alice.confirm(NEW)),
  },
  'new number, unsaved': {
    app: 'book',
    before: async (world) => {
      await beginNumber(world);
      world.test.sessions.failSets = true;
    },
    act: ({ alice }) => say(alice.confirm(NEW)),
  },
  'can pass': {
    app: 'whole',
    act: ({ test }) => report(test.smsOtp.canPassSecondFactor(userOf(test))),
  },
  'can pass without a number': {
    app: 'whole',
    before: async ({ test }) => {
      await test.firstCodes();
      test.users.set('alice', { id: 'alice', phone: null });
    },
    act: ({ test }) => report(test.smsOtp.canPassSecondFactor(userOf(test))),
  },
  'can pass with book': {
    app: 'book',
    act: ({ test }) => report(test.smsOtp.canPassSecondFactor(userOf(test))),
  },
  'revoke all': {
    app: 'whole',
    before: haveAll,
    act: ({ test }) => report(test.smsOtp.logins?.revokeAll('alice')),
  },
  unlock: {
    app: 'whole',
    before: haveAll,
    act: ({ test }) => report(test.smsOtp.unlockUser('alice')),
  },
  forget: {
    app: 'whole',
    before: haveAll,
    act: ({ test }) => report(test.smsOtp.forgetUser('alice')),
  },
  'forget, bare': {
    app: 'bare',
    before: ({ alice }) => alice.logIn(),
    act: ({ test }) => report(test.smsOtp.forgetUser('alice')),
  },
  'export, bare': {
    app: 'bare',
    before: ({ alice }) => alice.logIn(),
    act: ({ test }) => report(test.smsOtp.exportUser('alice')),
  },
  export: {
    app: 'whole',
    before: haveAll,
    act: ({ test }) => report(test.smsOtp.exportUser('alice')),
  },
} satisfies Record<string, Act>;

export type ActName = keyof typeof ACTS;

async function beTrusted({ alice, test }: World): Promise<void> {
  await alice.trust();
  alice.leave();
  test.clock.advanceSeconds(60);
}

/** Alice has a login, a known browser, a trusted device and recovery codes. */
async function haveAll({ alice, test }: World): Promise<void> {
  await test.firstCodes();
  await alice.trust();
}

async function beginNumber({ alice, test }: World): Promise<void> {
  await alice.logIn();
  test.clock.advanceSeconds(60);
  await alice.enroll(NEW);
}

function userOf({ users }: TestApp): Express.User {
  return users.get('alice') as unknown as Express.User;
}

/** The answer to a request, in a few words. */
async function say(answer: Promise<Parameters<typeof seen>[0]>): Promise<string> {
  const { status, body } = await answer;
  const word: unknown = body.error ?? body.code;
  return typeof word === 'string' ? `${status} ${word}` : String(status);
}

/** What a call resolves to, or the code or message of its error. */
async function report(called: Promise<unknown> | undefined): Promise<string> {
  try {
    const answer = await called;
    return ['number', 'boolean'].includes(typeof answer) ? String(answer) : 'done';
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return `rejects: ${code ?? message}`;
  }
}
