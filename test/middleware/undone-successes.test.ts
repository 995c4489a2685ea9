import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import type { SmsOtp, SmsOtpEvent } from 'passport-sms-otp';
import { throwing } from '../support/tampered-store';
import { ALICE } from '../support/test-app';
import { useApp } from '../support/use-app';
import { type Answer, seen, type Visit } from '../support/visit';

/** An app that takes the user in hand itself, and forgets to log anyone in. */
function addForgetfulRoute(app: Express, _smsOtp: SmsOtp, passport: PassportStatic): void {
  app.post('/forgetful', (req, res, next) => {
    const done = (error: unknown): void => (error ? next(error) : void res.json({ out: true }));
    const middleware = passport.authenticate('sms-otp', done) as RequestHandler; // Typed as any.
    middleware(req, res, next);
  });
}

const test = useApp({ hasFactors: true, isTampered: true, routes: addForgetfulRoute });

/** Nothing of a success may be left where its session was not saved. */
const SUCCESS: readonly SmsOtpEvent['type'][] = ['verified', 'device-trusted', 'device-used'];

function toldOfSuccess(): readonly string[] {
  return test.events.map(({ type }) => type).filter((type) => SUCCESS.includes(type));
}

function endings(): readonly string[] {
  return test.told('login-ended').map(({ reason }) => reason);
}

/** Everything that the store has of Alice and that lets her in. */
async function records() {
  const { smsOtp } = test;
  const { knownBrowsers, trustedDevices } = await smsOtp.exportUser(ALICE.id);
  const logins = (await smsOtp.logins?.list(ALICE.id)) ?? [];
  return { logins, knownBrowsers, trustedDevices };
}

/** How the session fails to be saved, with the way back. */
const FAULTS = {
  'it cannot be saved': () => {
    test.sessions.failSets = true;
    return () => {
      test.sessions.failSets = false;
    };
  },
  'it cannot be renewed': () => {
    const destroy = test.sessions.destroy.bind(test.sessions);
    Object.assign(test.sessions, {
      destroy: (_sid: string, callback: (error: unknown) => void) => callback(new Error('away')),
    });
    return () => void Object.assign(test.sessions, { destroy });
  },
  'Passport cannot put the user into it': () => {
    const user = test.users.get(ALICE.id);
    if (user !== undefined) user.isUnserializable = true;
    return () => {
      if (user !== undefined) user.isUnserializable = false;
    };
  },
} as const;

type Fault = keyof typeof FAULTS;
const FAULT_NAMES = Object.keys(FAULTS) as Fault[];

async function withFault(fault: Fault, act: () => Promise<Answer>): Promise<Answer> {
  const repair = FAULTS[fault]();
  const answer = await act();
  repair();
  expect(answer.status).toBeGreaterThanOrEqual(500);
  expect(answer.setCookies.filter((line) => line.startsWith('__Host-'))).toEqual([]);
  return answer;
}

let alice: Visit;
beforeEach(() => {
  alice = test.browser();
});

describe.each(FAULT_NAMES)('where a session fails because %s', (fault) => {
  it.each([
    ['a login', {}],
    ['a login that trusts its device', { trustDevice: 'on' }],
  ])('%s leaves no cookie, no event and no record', async (_what, more) => {
    await alice.login();
    await withFault(fault, () => alice.enterRight(more));
    expect(toldOfSuccess()).toEqual([]);
    expect(endings()).toEqual(['unused']);
    expect(await records()).toEqual({ logins: [], knownBrowsers: [], trustedDevices: [] });
    expect((await alice.account()).status).toBe(403);

    test.clock.advanceSeconds(600);
    expect((await alice.login()).body).toMatchObject({ sent: true });
    expect((await alice.enterRight(more)).body).toMatchObject({ verified: true });
    expect(test.told('verified')).toMatchObject([{ isKnownBrowser: false }]);
  });

  it('a login in a known browser leaves it as known as it was', async () => {
    await alice.logIn();
    const before = await records();
    alice.leave();
    test.clock.advanceSeconds(2 * 86_400);
    await alice.login();
    await withFault(fault, () => alice.enterRight());
    expect(await records()).toEqual(before);
    test.clock.advanceSeconds(600);
    await alice.logIn();
    expect(test.told('verified').map(({ isKnownBrowser }) => isKnownBrowser)).toEqual([
      false,
      true,
    ]);
  });

  it('a device that is trusted again keeps the trust it had', async () => {
    await alice.trust();
    const { device } = alice;
    const before = await records();
    alice.leave();
    alice.device = undefined;
    test.clock.advanceSeconds(600);
    await alice.login();
    alice.device = device;
    await withFault(fault, () => alice.enterRight({ trustDevice: 'on' }));
    expect((await records()).trustedDevices).toEqual(before.trustedDevices);
    test.clock.advanceSeconds(600);
    expect((await alice.login()).body).toMatchObject({ method: 'trusted-device' });
    expect(test.told('device-revoked')).toEqual([]);
  });

  it('a login by a trusted device leaves the device its token', async () => {
    await alice.trust();
    const before = await records();
    test.events.length = 0;
    alice.leave();
    test.clock.advanceSeconds(600);
    const { device } = alice;
    await withFault(fault, () => alice.login());
    expect(toldOfSuccess()).toEqual([]);
    expect(alice.device).toBe(device);
    expect(await records()).toEqual(before);

    // Long after the time in which two tabs may show one token.
    test.clock.advanceSeconds(600);
    expect((await alice.login()).body).toMatchObject({ method: 'trusted-device' });
    expect(test.told('device-revoked')).toEqual([]);
  });
});

describe.each(FAULT_NAMES.slice(0, 2))('where a session fails because %s', (fault) => {
  it('a step-up leaves the login that it was to replace', async () => {
    await alice.logIn();
    const before = await records();
    test.events.length = 0;
    test.clock.advanceSeconds(600);
    await alice.stepUp();
    await withFault(fault, () => alice.enterRight());
    expect(toldOfSuccess()).toEqual([]);
    expect(endings()).toEqual(['unused']);
    expect(await records()).toEqual(before);
  });
});

it('a session that was not renewed goes on with its login', async () => {
  await alice.logIn();
  test.clock.advanceSeconds(600);
  await alice.stepUp();
  const sid = alice.cookies.get('connect.sid') ?? '';
  await withFault('it cannot be renewed', () => alice.enterRight());
  // express-session has sent the cookie of an empty session: a tab may have been slower.
  alice.cookies.set('connect.sid', sid);
  expect((await alice.account()).status).toBe(200);
});

it('a login that another request has ended meanwhile does not come back', async () => {
  await alice.logIn();
  test.clock.advanceSeconds(600);
  await alice.stepUp();
  const set = test.sessions.set.bind(test.sessions);
  Object.assign(test.sessions, {
    set: (_sid: string, _data: object, callback: (error: unknown) => void) => {
      void test.smsOtp.logins?.revokeAll(ALICE.id).then(() => callback(new Error('away')));
    },
  });
  expect((await alice.enterRight()).status).toBe(503);
  Object.assign(test.sessions, { set });
  expect((await records()).logins).toEqual([]);
  expect(endings()).toEqual(['revoked']);
});

it('a success whose response closes before anything is saved is undone', async () => {
  await alice.login();
  const answer = await alice.post('/forgetful', { pin: test.code() });
  expect(answer.body).toEqual({ out: true });
  await untilUndone();
  expect(toldOfSuccess()).toEqual([]);
  expect(await records()).toEqual({ logins: [], knownBrowsers: [], trustedDevices: [] });
});

/** The response closes after its answer has arrived. */
async function untilUndone(): Promise<void> {
  for (let tries = 0; tries < 100 && endings().length === 0; tries += 1)
    await new Promise((resolve) => setImmediate(resolve));
}

it('cookies and events come after the session is saved', async () => {
  await alice.login();
  const told: (readonly string[])[] = [];
  const set = test.sessions.set.bind(test.sessions);
  Object.assign(test.sessions, {
    set: (...given: Parameters<typeof set>) => {
      told.push(toldOfSuccess());
      set(...given);
    },
  });
  const answer = await alice.enterRight({ trustDevice: 'on' });
  expect(told).toEqual([[]]);
  expect(answer.setCookies.filter((line) => line.startsWith('__Host-'))).toHaveLength(2);
  expect(toldOfSuccess().toSorted()).toEqual(['device-trusted', 'verified']);
});

describe('a confirmed number whose session cannot be saved', () => {
  const own = useApp({ hasPhones: true });

  it('stays confirmed, and the login that was to be replaced comes back', async () => {
    const owner = own.browser();
    await owner.logIn();
    const before = await own.smsOtp.logins?.list(ALICE.id);
    own.clock.advanceSeconds(60);
    const mobile = '+12025550177';
    await owner.enroll(mobile);
    own.events.length = 0;
    own.sessions.failSets = true;
    expect((await owner.confirm(mobile)).status).toBe(503);
    own.sessions.failSets = false;

    expect(own.book.list(ALICE.id).map(({ mobile: number }) => number)).toContain(mobile);
    expect(await own.smsOtp.logins?.list(ALICE.id)).toEqual(before);
    expect(own.told('phone-enrolled')).toHaveLength(1);
    expect(own.told('verified')).toEqual([]);
    expect(own.told('login-ended').map(({ reason }) => reason)).toEqual(['unused']);
  });
});

describe('a finish whose answer is lost', () => {
  const lose = (): void =>
    test.tampered.tamper('finish', async (work) => {
      await work();
      return throwing();
    });

  it('of a step-up makes the next guard ask the store about the login that it replaces', async () => {
    await alice.logIn();
    expect((await alice.account()).status).toBe(200);
    await alice.stepUp();
    test.tampered.tamper('finish', async (work) => {
      await work();
      // From here on nothing else can be asked, either.
      test.tampered.tamper('records.find', throwing);
      return throwing();
    });
    expect((await alice.enterRight()).status).toBe(503);
    test.tampered.heal();
    expect(seen(await alice.account())).toEqual([401, { error: 'login-ended' }]);
    expect(endings()).toContain('found-ended');
    expect((await records()).logins).toEqual([]);
  });

  it('of a login by a trusted device leaves the device its token', async () => {
    await alice.trust();
    alice.leave();
    test.clock.advanceSeconds(600);
    lose();
    expect((await alice.login()).status).toBe(503);
    test.tampered.heal();
    test.clock.advanceSeconds(600);
    expect((await alice.login()).body).toMatchObject({ method: 'trusted-device' });
    expect(test.told('device-revoked')).toEqual([]);
  });
});
