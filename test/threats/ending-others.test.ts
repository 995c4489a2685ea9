import { describe, expect, it, jest } from '@jest/globals';
import type { Express, Request, Response } from 'express';
import { memoryStore, type SmsOtp, type SmsOtpStore } from 'passport-sms-otp';
import { testClock, type TestClock } from '../support/clock';
import type { TestApp } from '../support/test-app';
import { HOME, NEW, WORK } from '../support/test-users';
import type { Answer, Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';
import { waitUntil } from '../support/wait-until';

jest.setTimeout(30_000);

/** How a test keeps a success under way. */
interface Hold {
  /** The next success waits before its step of the store. */
  isNext: boolean;
  /** A success waits. */
  isHeld: boolean;
}

/** A memory store in which a success can be kept under way. */
function heldStore(clock: TestClock): { store: SmsOtpStore; hold: Hold } {
  const store = memoryStore({ now: () => clock.now() });
  const hold = { isNext: false, isHeld: false };
  const finish: typeof store.finish = async (pendingId, options) => {
    if (hold.isNext) {
      Object.assign(hold, { isNext: false, isHeld: true });
      await waitUntil(() => !hold.isHeld);
    }
    return store.finish(pendingId, options);
  };
  return { store: { ...store, finish }, hold };
}

function addEndings(app: Express, smsOtp: SmsOtp): void {
  const tell = (path: string, end: (req: Request) => Promise<unknown> | undefined): void => {
    app.post(path, (req: Request, res: Response, next) => {
      Promise.resolve(end(req)).then(() => res.json({ done: true }), next);
    });
  };
  tell('/revoke-all', (req) => smsOtp.logins?.revokeAll('alice', req));
  tell('/forget', () => smsOtp.forgetUser('alice'));
}

interface Scene {
  readonly test: TestApp;
  readonly hold: Hold;
  readonly codes: readonly string[];
  /** Alice is logged in here, and asks that all others end. */
  readonly here: Visit;
  /** Another browser of hers, or a thief's. */
  readonly there: Visit;
}

const ENDINGS: [string, (scene: Scene) => Promise<Answer>][] = [
  ['revokeAll', ({ here }) => here.post('/revoke-all')],
  [
    'a number that is removed',
    async ({ here }) => here.post('/phones/remove', { phoneId: await here.idOf(WORK) }),
  ],
  [
    'a number that is replaced',
    async ({ test, here }) => {
      test.clock.advanceSeconds(70);
      await here.replace(NEW, { phoneId: await here.idOf(WORK) });
      return here.confirm(NEW);
    },
  ],
  ['new recovery codes', ({ here }) => here.post('/codes')],
  ['forgetUser', ({ here }) => here.post('/forget')],
];

/** Each success has been judged right, and its step of the store comes after the ending. */
const SUCCESSES: [string, (scene: Scene) => Promise<() => Promise<Answer>>][] = [
  [
    'a right code',
    async ({ test, there }) => {
      await there.login();
      return () => there.enter(test.sim.outbox.at(-1)?.pin, { trustDevice: 'on' });
    },
  ],
  [
    'a right recovery code',
    async ({ there, codes }) => {
      await there.login();
      return () => there.recover(codes[0]);
    },
  ],
  [
    'a right code of a step-up',
    async ({ test, there }) => {
      await there.logIn();
      test.clock.advanceSeconds(70);
      await there.stepUp();
      return () => there.enter(test.sim.outbox.at(-1)?.pin);
    },
  ],
  [
    'a trusted device',
    async ({ test, there }) => {
      await there.login();
      await there.enter(test.sim.outbox.at(-1)?.pin, { trustDevice: 'on' });
      there.leave();
      return () => there.login();
    },
  ],
];

describe('whatever ends all others, in two browsers of one user', () => {
  const apps = useOwnApps({ hasPhones: true, hasFactors: true, routes: addEndings });

  async function scene(): Promise<Scene> {
    const clock = testClock();
    const { store, hold } = heldStore(clock);
    const options = { store, logins: { checkEverySeconds: 0 } };
    const test = await apps.start({ clock, options });
    test.book.seed('alice', HOME, WORK);
    const [here, there] = [test.browser(), test.browser()];
    await here.logIn();
    const { codes } = (await here.post('/codes')).body as { codes: readonly string[] };
    clock.advanceSeconds(70);
    return { test, hold, codes, here, there };
  }

  describe.each(ENDINGS)('%s', (_ending, end) => {
    it.each(SUCCESSES)('leaves out %s that was under way', async (_success, begin) => {
      const all = await scene();
      const { hold, test, there } = all;
      const succeed = await begin(all);
      hold.isNext = true;
      const succeeding = succeed();
      await waitUntil(() => hold.isHeld);
      expect((await end(all)).status).toBe(200);
      hold.isHeld = false;
      expect((await succeeding).status).not.toBe(200);
      expect((await there.account()).status).not.toBe(200);
      there.leave();
      test.clock.advanceSeconds(301);
      expect((await there.login()).body.method).not.toBe('trusted-device');
      expect((await there.account()).status).not.toBe(200);
    });
  });
});
