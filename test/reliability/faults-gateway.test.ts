import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWithService } from '../services/describe-with-service';
import type { Answer } from './support/browser';
import { openGate, type Gate } from './support/faults-gate';
import { SHUT_OUT, startStage, type Newcomer, type Stage } from './support/faults-stage';
import { GATEWAY_FAULTS, type GatewayFault, type Told } from './support/faults-table';
import { SHARED_STATES, startServer, type StateServer } from './support/state-server';

/**
 * Long enough for an answer on a busy machine, short enough for rows that wait for it to be over.
 */
const PATIENCE_MS = 1_500;
/** Tokens have ended, and neither breaker nor watch remembers what was before. */
const LATER_SECONDS = 1_801;

const HASTY = { timeoutMs: PATIENCE_MS };
type Call = 'auth' | 'generate' | 'validate';
const CALLS: readonly Call[] = ['auth', 'generate', 'validate'];

/** Either variant on one of the stores: which store keeps the state does not depend on the wire. */
const VARIANTS = { redis: 'A', postgres: 'B' } as const;

const PROMPT = GATEWAY_FAULTS.filter(({ isSilent }) => !isSilent);
const SILENT = GATEWAY_FAULTS.filter(({ isSilent }) => isSilent);
/** The login waits without a text. */
const NOT_SENT = { error: 'not-sent', pending: true };
const NO_CODE_FITS = [401, { error: 'invalid-code' }];
const NOTHING_WAITED_FOR: Told = [401, { error: 'no-pending-login' }];

/** The gateway was not reached, or its answer excludes that a text went out. */
function isUnsent(title: string): boolean {
  return ['a refused connection', 'HTTP 429'].includes(title) || title.startsWith('error 2121');
}

for (const kind of SHARED_STATES) {
  describeWithService(kind)(
    `the app on ${kind}, when its gateway (variant ${VARIANTS[kind]}) fails`,
    () => {
      let server: StateServer;
      beforeAll(async () => {
        server = await startServer(kind);
      });
      afterAll(() => server.close());

      describe.each([
        ['answers that are none', {}, CALLS, PROMPT],
        ...CALLS.map((call) => [`silence at ${call}`, HASTY, [call], SILENT] as const),
      ] as const)('%s', (_title, hasty, calls, faults) => {
        let gate: Gate;
        let stage: Stage;
        let laterMs = 0;
        beforeAll(async () => {
          gate = await openGate();
          const options = { now: () => Date.now() + laterMs };
          const gateway = { baseUrl: `http://127.0.0.1:${gate.port}`, ...hasty };
          const settings = {
            state: server.state,
            variant: VARIANTS[kind],
            gateway,
            options,
            people: 200,
          };
          stage = await startStage(settings, server);
          gate.leadTo(Number(new URL(stage.scene.simulator.baseUrl).port));
        });
        afterAll(async () => {
          await stage.close();
          await gate.close();
        });
        beforeEach(async () => {
          laterMs += LATER_SECONDS * 1000;
          stage.scene.simulator.advanceSeconds(LATER_SECONDS);
          await server.empty();
          await stage.check(true);
        });

        afterEach(async () => {
          stage.scene.simulator.clearFaults();
          await gate.reopen();
        });

        /**
         * Others log in until one is texted: on a busy machine a token may take longer than a call
         * waits.
         */
        async function bringToken(): Promise<void> {
          let status = 0;
          for (let tries = 0; status !== 200 && tries < 5; tries += 1)
            ({ status } = await stage.newcomer().logIn());
          expect(status).toBe(200);
        }
        async function strike(
          call: Call,
          fault: GatewayFault['fault'],
          visitor: Newcomer,
        ): Promise<void> {
          if (fault !== 'refused') return stage.scene.simulator.failNext(call, fault);
          await gate.shut();
          // By the time a request has come and gone the app has seen its connections end.
          await visitor.knock();
        }
        async function heal(fault: GatewayFault['fault']): Promise<void> {
          if (fault === 'refused') await gate.reopen();
        }

        if (calls.includes('auth')) {
          it.each(faults)(
            'an authentication before a send meets $title',
            async ({ fault, auth }) => {
              const visitor = stage.newcomer();
              const { generate } = stage.scene.simulator.stats().calls;
              await strike('auth', fault, visitor);
              expect(toTold(await visitor.logIn())).toMatchObject([auth[0], NOT_SENT]);
              await stage.check();
              expect(stage.scene.simulator.stats().calls.generate).toBe(generate);
              // What never left is charged to nobody.
              expect(
                (await stage.look()).counters.get(`sends:short:user:others:${visitor.user.id}`),
              ).toBeUndefined();
              expect(toTold(await visitor.enterRight())).toEqual(NO_CODE_FITS);
              await heal(fault);
              await expectRecovery(visitor, 1);
            },
          );
        }

        if (calls.includes('generate')) {
          it.each(faults)('a generate call meets $title', async ({ title, fault, generate }) => {
            await bringToken();
            const visitor = stage.newcomer();
            await strike('generate', fault, visitor);
            expect(toTold(await visitor.logIn())).toMatchObject([generate[0], NOT_SENT]);
            await stage.check();
            const { counters } = await stage.look();
            // The user's texts are given back, the total of the day only where surely none left.
            const { id } = visitor.user;
            expect(counters.get(`sends:short:user:others:${id}`)).toBe(0);
            expect(counters.get(`sends:day:user:others:${id}`)).toBe(0);
            expect(counters.get(`sends:all:others:${id}`)).toBe(isUnsent(title) ? 0 : 1);
            expect(counters.get(`sends:gap:others:${id}`)).toBe(1);
            await heal(fault);
            // Also when a code was made: nobody waits for it.
            expect(toTold(await visitor.enterRight())).toEqual(NO_CODE_FITS);
            // The answer to a reload is the first one's.
            expect(toTold(await visitor.logIn())).toMatchObject([generate[0], NOT_SENT]);
            await expectRecovery(visitor, 1);
          });
        }

        if (calls.includes('validate')) {
          it.each(faults)('a validate call meets $title', async ({ fault, validate, lives }) => {
            const visitor = stage.newcomer();
            expect((await visitor.logIn()).status).toBe(200);
            await strike('validate', fault, visitor);
            expect(toTold(await visitor.enterRight())).toEqual(validate);
            await stage.check();
            const { counters, texts } = await stage.look();
            // Surely not judged: nothing is the user's. Lost: the lock's count is given back. The
            // text of either is.
            const isUnjudged = validate[0] === 503;
            const isLost = !lives && validate[0] !== 401;
            const { id } = visitor.user;
            expect(counters.get(`failures:others:${id}`)).toBe(isUnjudged ? 0 : 1);
            expect(counters.get(`locks:${id}:sms`)).toBe(isUnjudged || isLost ? 0 : 1);
            expect(counters.get(`sends:day:user:others:${id}`)).toBe(isUnjudged || isLost ? 0 : 1);
            expect(counters.get(`sends:all:others:${id}`)).toBe(1);
            // A code that may have been judged is over in the store too; a refused one, in the
            // session at most.
            expect(texts.size).toBe(lives || validate[0] === 401 ? 1 : 0);
            expect(await visitor.knock()).toBe(SHUT_OUT);
            await heal(fault);
            const late = await visitor.enterRight();
            expect(late).toMatchObject(
              lives ? { status: 200 } : { status: 401, body: NOTHING_WAITED_FOR[1] },
            );
            await expectRecovery(visitor, lives ? 2 : 1);
          });
        }

        /** Everything holds, and the same user comes in by a new login: so often in all. */
        async function expectRecovery({ user, knock }: Newcomer, passes: number): Promise<void> {
          await stage.check();
          expect(await knock()).toBe(passes === 1 ? SHUT_OUT : 200);
          await stage.expectLogin(user);
          const own = (await stage.scene.report()).passes.filter(
            ({ userId }) => userId === user.id,
          );
          expect(own).toHaveLength(passes);
        }
      });
    },
  );
}

function toTold({ status, body }: Answer): Told {
  return [status, body];
}
