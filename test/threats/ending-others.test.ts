import { describe, expect, it } from '@jest/globals';
import type { Express, Request, Response } from 'express';
import type { RecordsOf, SmsOtp } from 'passport-sms-otp';
import { testClock } from '../support/clock';
import { type TamperedStore, tamperedStore, throwing } from '../support/tampered-store';
import type { TestApp } from '../support/test-app';
import { HOME, NEW, WORK } from '../support/test-users';
import type { Answer, Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';
import { waitUntil } from '../support/wait-until';

/** How a test keeps a success under way. */
interface Hold {
  /** The next success waits before its step of the store. */
  isNext: boolean;
  /** A success waits. */
  isHeld: boolean;
}

/** Keeps a success under way where it is asked to. */
function holdSuccesses(tampered: TamperedStore): Hold {
  const hold = { isNext: false, isHeld: false };
  tampered.tamper('finish', async (work) => {
    if (hold.isNext) {
      Object.assign(hold, { isNext: false, isHeld: true });
      await waitUntil(() => !hold.isHeld);
    }
    return work();
  });
  return hold;
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
  readonly tampered: TamperedStore;
  readonly codes: readonly string[];
  /** Alice is logged in here, and asks that all others end. */
  readonly here: Visit;
  /** Another browser of hers, or a thief's. */
  readonly there: Visit;
}

/** Each is asked for by the request that is returned. */
const ENDINGS: [string, (scene: Scene) => Promise<() => Promise<Answer>>][] = [
  ['revokeAll', ({ here }) => Promise.resolve(() => here.post('/revoke-all'))],
  [
    'a number that is removed',
    async ({ here }) => {
      const phoneId = await here.idOf(WORK);
      return () => here.post('/phones/remove', { phoneId });
    },
  ],
  [
    'a number that is replaced',
    async ({ test, here }) => {
      await here.replace(NEW, { phoneId: await here.idOf(WORK) });
      test.clock.advanceSeconds(70);
      return () => here.confirm(NEW);
    },
  ],
  ['new recovery codes', ({ here }) => Promise.resolve(() => here.post('/codes'))],
  ['forgetUser', ({ here }) => Promise.resolve(() => here.post('/forget'))],
  [
    'a stolen device',
    async ({ test }) => {
      const thief = test.browser();
      await trustDevice(test, thief);
      const stolen = thief.device;
      await thief.login();
      test.clock.advanceSeconds(70);
      thief.device = stolen;
      return () => {
        thief.leave();
        return thief.login();
      };
    },
  ],
];

async function trustDevice(test: TestApp, browser: Visit): Promise<void> {
  await browser.login();
  await browser.enter(test.sim.outbox.at(-1)?.pin, { trustDevice: 'on' });
  browser.leave();
}

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
      await trustDevice(test, there);
      return () => there.login();
    },
  ],
];

describe('whatever ends all others, in two browsers of one user', () => {
  const apps = useOwnApps({ hasPhones: true, hasFactors: true, routes: addEndings });

  async function scene(): Promise<Scene> {
    const clock = testClock();
    const tampered = tamperedStore(clock);
    const options = { store: tampered.store, logins: { checkEverySeconds: 0 } };
    const test = await apps.start({ clock, options });
    test.book.seed('alice', HOME, WORK);
    const [here, there] = [test.browser(), test.browser()];
    await here.logIn();
    const { codes } = (await here.post('/codes')).body as { codes: readonly string[] };
    clock.advanceSeconds(70);
    return { test, tampered, codes, here, there };
  }

  /** Neither in, nor trusted. */
  async function expectOut({ test, there }: Scene): Promise<void> {
    expect((await there.account()).status).not.toBe(200);
    there.leave();
    test.clock.advanceSeconds(301);
    expect((await there.login()).body.method).not.toBe('trusted-device');
    expect((await there.account()).status).not.toBe(200);
  }

  describe.each(ENDINGS)('%s', (_ending, prepare) => {
    it.each(SUCCESSES)('leaves out %s that was under way', async (_success, begin) => {
      const all = await scene();
      const end = await prepare(all);
      const succeed = await begin(all);
      const hold = holdSuccesses(all.tampered);
      hold.isNext = true;
      const succeeding = succeed();
      await waitUntil(() => hold.isHeld);
      expect((await end()).status).toBeLessThan(500);
      hold.isHeld = false;
      expect((await succeeding).status).not.toBe(200);
      await expectOut(all);
    });

    it('leaves out a trusted device that comes in the middle of it', async () => {
      const all = await scene();
      const { test, tampered, there } = all;
      const end = await prepare(all);
      await trustDevice(test, there);
      const hold = holdSuccesses(tampered);
      let coming: Promise<Answer> | undefined;
      tampered.tamper('records.removeAll', async (work, of) => {
        if ((of as RecordsOf).kind === 'device' && coming === undefined) {
          hold.isNext = true;
          coming = there.login();
          await Promise.race([coming, waitUntil(() => hold.isHeld)]);
        }
        return work();
      });
      expect((await end()).status).toBeLessThan(500);
      hold.isHeld = false;
      expect((await coming)?.body.method).not.toBe('trusted-device');
      await expectOut(all);
    });

    it.each(['device', 'browser', 'login'])(
      'is completed by the same request, where the removal of the %s records has failed',
      async (kind) => {
        const all = await scene();
        const { tampered, there } = all;
        const end = await prepare(all);
        await there.logIn();
        tampered.tamper('records.removeAll', (_work, of) =>
          (of as RecordsOf).kind === kind ? throwing() : undefined,
        );
        expect((await end()).status).toBe(503);
        tampered.heal();
        expect((await end()).status).toBeLessThan(500);
        await expectOut(all);
      },
    );
  });
});
