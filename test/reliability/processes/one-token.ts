import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWithService } from '../../services/describe-with-service';
import { isCompleteRun, VARIANTS_OF_LONG_RUNS } from '../../support/complete-run';
import type { TestUser } from '../../support/test-users';
import { startScene, type Scene } from '../support/scene';
import type { StateServer } from '../support/state-server';
import { hosts, PROCESSES, PROCESSES_IN_WORDS, serverOf } from './several';

/** Logins that begin at once; 10,000 with `RELIABILITY_LOGINS=10000`. */
const LOGINS = Number(process.env.RELIABILITY_LOGINS ?? (isCompleteRun ? 1_000 : 300));
/** Long enough for the last in the queue. */
const QUEUE_MS = 60_000;
/** Longer than the gateway's tokens live. */
const TOKEN_LIFE_SECONDS = 1_801;

const ALL_PASS = {
  statuses: { 200: LOGINS },
  passes: LOGINS,
  authentications: 1,
  accidents: [],
  unproven: [],
};

describeWithService('redis')(
  `${LOGINS} logins at once in ${PROCESSES_IN_WORDS} processes that share Redis`,
  () => {
    let server: StateServer;
    beforeAll(async () => {
      server = await serverOf('redis');
    });

    describe.each(VARIANTS_OF_LONG_RUNS)('in variant %s', (variant) => {
      let scene: Scene;
      beforeEach(async () => {
        scene = await startScene({
          state: server.state,
          hosts,
          variant,
          people: 2 * LOGINS + PROCESSES,
          connections: Math.ceil(LOGINS / PROCESSES),
          gateway: {
            queueLimit: 20_000,
            timeoutMs: QUEUE_MS,
          },
        });
      });
      afterEach(async () => {
        await scene.close();
        await server.empty();
      });

      it('make one authentication when none has a token yet, and all pass', async () => {
        expect(await logInAtOnce(scene, scene.users.slice(0, LOGINS))).toEqual(ALL_PASS);
      });

      it('make one authentication when the token has ended, and all pass', async () => {
        // Every process has had the token.
        for (const [index, user] of scene.users.slice(2 * LOGINS).entries())
          expect(await logIn(scene, user, index)).toBe(200);
        scene.simulator.advanceSeconds(TOKEN_LIFE_SECONDS);
        expect(await logInAtOnce(scene, scene.users.slice(LOGINS, 2 * LOGINS))).toEqual(ALL_PASS);
        // That the token had ended was found out by asking.
        expect(scene.simulator.stats().refusals[1009]).toBeGreaterThan(0);
      });
    });
  },
);

/**
 * What became of so many logins, password and code, and how often the gateway was asked for a token
 * meanwhile.
 */
async function logInAtOnce(scene: Scene, users: readonly TestUser[]): Promise<object> {
  const before = { ...(await scene.report()), tokens: countTokens(scene) };
  const startedAt = performance.now();
  const answers = await Promise.all(users.map((user, index) => logIn(scene, user, index)));
  tellDuration(users.length, performance.now() - startedAt);
  const statuses: Record<number, number> = {};
  for (const status of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const { passes, errors, unhandled } = await scene.report();
  return {
    statuses,
    passes: passes.length - before.passes.length,
    authentications: countTokens(scene) - before.tokens,
    accidents: [...new Set([...errors, ...unhandled])],
    unproven: await scene.findUnproven(),
  };
}

async function logIn(
  { urls, browser, witness }: Scene,
  user: TestUser,
  index: number,
): Promise<number> {
  const url = urls[index % urls.length] ?? '';
  const visitor = browser();
  const { status } = await visitor.logIn(url, user.id);
  if (status !== 200) return status;
  return (await visitor.enter(url, witness.pinOf(user.phone))).status;
}

function countTokens({ simulator }: Scene): number {
  const { credentials, refresh } = simulator.stats().authentications;
  return credentials + refresh;
}

/** For maintainers/load-and-faults.md. */
function tellDuration(logins: number, durationMs: number): void {
  if (process.env.RELIABILITY_LOGINS === undefined) return;
  process.stdout.write(`${logins} logins in ${(durationMs / 1000).toFixed(1)} s\n`);
}
