import { afterEach, describe, expect, it } from '@jest/globals';
import { testClock } from '../support/clock';
import { VARIANTS_OF_LONG_RUNS } from '../support/complete-run';
import { ALICE, BOB, type TestUser, type TestApp } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { allStores, type OpenStore } from './support/stores';
import { HOME } from '../support/test-users';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps({ hasPhones: true });

const LIMITED = [429, { error: 'send-limit', retryAfterSeconds: expect.any(Number) }];

let opened: OpenStore | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const accounts = (count: number): TestUser[] =>
  Array.from({ length: count }, (_, index) => ({ id: `mallory-${index}`, phone: null }));

for (const { name, describe: describeStore, open } of allStores()) {
  describeStore(`other accounts of the site, with the store ${name}`, () => {
    describe.each(VARIANTS_OF_LONG_RUNS)('variant %s', (variant) => {
      async function start(users: TestUser[]): Promise<TestApp> {
        const clock = testClock();
        opened = await open(clock);
        return apps.start({ variant, clock, users, options: { store: opened.store } });
      }

      async function logIn(test: TestApp, user: TestUser = ALICE): Promise<number[]> {
        const visitor = visit(test, user);
        return [(await visitor.login()).status, (await visitor.enterRight()).status];
      }

      it('that enroll a number send it ten texts at most, and refuse its owner nothing', async () => {
        const test = await start([ALICE, ...accounts(12)]);
        expect(await logIn(test)).toEqual([200, 200]);
        for (const user of accounts(12)) {
          const visitor = visit(test, user);
          await visitor.logIn();
          for (let time = 1; time <= 3; time += 1) {
            await visitor.enroll(HOME);
            // As if the time between two texts had passed, which no test can do to Redis or
            // PostgreSQL.
            await opened?.store.counters.unlock([`sends:gap:others:${user.id}`]);
          }
          expect(await logIn(test)).toEqual([200, 200]);
        }
        const own = 13;
        expect(test.sim.stats().sent - own).toBeGreaterThan(0);
        expect(test.sim.stats().sent - own).toBeLessThanOrEqual(10);
      });

      it('learn nothing from a full prefix: members and strangers are answered alike', async () => {
        const test = await start([ALICE, ...accounts(13)]);
        expect(await logIn(test)).toEqual([200, 200]);
        const attackers = accounts(13).map((user) => visit(test, user));
        for (const attacker of attackers) await attacker.logIn();
        for (const [index, attacker] of attackers.slice(0, 12).entries()) {
          expect((await attacker.enroll(`+1202555${2000 + index}`)).status).toBe(200);
        }
        const prober = attackers[12];
        const answers = [await prober?.enroll('+12025553000'), await prober?.enroll(HOME)];
        expect(answers.map((answer) => answer && seen(answer))).toEqual([LIMITED, LIMITED]);
        expect(await logIn(test)).toEqual([200, 200]);
      });

      it('of the same number do not touch each other', async () => {
        const users = [ALICE, { ...BOB, phone: ALICE.phone }];
        const test = await start(users);
        test.book.seed(BOB.id, HOME);
        for (const user of users) expect(await logIn(test, user)).toEqual([200, 200]);
        for (let send = 1; send <= 8; send += 1) {
          await visit(test, users[1]).login();
          await opened?.store.counters.unlock([`sends:gap:others:${BOB.id}`]);
          expect(await logIn(test)).toEqual([200, 200]);
        }
        expect(seen(await visit(test, users[1]).login())[0]).toBe(429);
      });
    });
  });
}
