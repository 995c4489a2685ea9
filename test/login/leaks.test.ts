import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'supertest';
import { FOREIGN_CANARY, plantCanaries, tellAll, type Canaries } from '../support/canaries';
import { testClock } from '../support/clock';
import { answer, LOST, type Fault } from '../support/gateway-faults';
import {
  STORE_CALLS,
  tamperedStore,
  throwing,
  type StoreCall,
  type TamperedStore,
} from '../support/tampered-store';
import { ALICE, BOB, startTestApp, type TestApp } from '../support/test-app';
import { visit } from '../support/visit';

const MOBILE = ALICE.phone ?? '';

/** A whole login and a step-up, with everything a person may do on the way. */
const STEPS = [
  'login',
  'status',
  'enterWrong',
  'enterRight',
  'login',
  'resend',
  'enterRight',
  'account',
  'stepUp',
  'enterRight',
  'cancel',
  'status',
  'logout',
] as const;

/** Everything that leaves the library in the course of a test is collected and searched. */
describe.each(['A', 'B'] as const)('what comes out in variant %s', (variant) => {
  let canaries: Canaries;
  let test: TestApp;
  let tampered: TamperedStore;
  let responses: Response[];
  let printed: string[];

  async function start(deadlines: object = {}): Promise<void> {
    canaries = plantCanaries(MOBILE);
    const clock = testClock();
    tampered = tamperedStore(clock);
    [responses, printed] = [[], []];
    const { username, password } = canaries.simulator;
    test = await startTestApp({
      variant,
      clock,
      simulator: canaries.simulator,
      gateway: { username, password, ...deadlines },
      options: {
        store: tampered.store,
        maxSends: 5,
        limits: { perPrefix: { maxUnproven: 1_000 } },
      },
    });
  }

  beforeEach(async () => {
    await start();
    for (const stream of [process.stdout, process.stderr]) {
      jest.spyOn(stream, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0);
    }
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      jest
        .spyOn(console, method)
        .mockImplementation((...given) => void printed.push(tellAll(given)));
    }
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await test.close();
  });

  /** Goes all the way; what fails on it may fail. */
  async function wander(steps: readonly (typeof STEPS)[number][] = STEPS): Promise<void> {
    const visitor = visit(test);
    for (const step of steps) {
      responses.push(await visitor[step]());
      test.clock.advanceSeconds(31);
    }
    // The lock and the gaps of one round are not those of the next.
    tampered.lose();
    test.clock.advanceSeconds(600);
  }

  /**
   * What the store was given; the number may stand in the record of a pending login and of its
   * texts, and nowhere else.
   */
  const isRecord = (call: StoreCall): boolean => call === 'begin' || call === 'attach';
  const givenTo = (isMeant: (call: StoreCall) => boolean): string =>
    tellAll(tampered.calls.filter(({ call }) => isMeant(call)).map(({ given }) => given));

  function findLeaks(): Record<string, string[]> {
    const places: Record<string, unknown> = {
      errors: test.errors.map(tellAll),
      events: tellAll(test.events),
      sessions: test.sessions.dump(),
      // The test app shows the user, with the number, to the user.
      answers: responses.map(({ body, headers }) => tellAll([{ ...body, user: null }, headers])),
      printed,
      keys: givenTo((call) => !isRecord(call)),
      records: givenTo(isRecord).replaceAll(MOBILE, ''),
    };
    const found = Object.entries(places).map(
      ([place, text]) => [place, canaries.find(JSON.stringify(text))] as const,
    );
    return Object.fromEntries(found.filter(([, leaks]) => leaks.length > 0));
  }

  /** A text that was not sent is an answer, all else an error. */
  function countFailures(): number {
    const { errors, events } = test;
    return (
      errors.length +
      events.filter((event) => event.type === 'denied' && event.reason === 'not-sent').length
    );
  }

  it('holds no secret on the happy path, and the search finds what is planted', async () => {
    await wander();
    expect(test.logins).toHaveLength(2);
    expect(canaries.secrets.size).toBeGreaterThanOrEqual(8);
    expect(findLeaks()).toEqual({});
    for (const secret of canaries.secrets) {
      expect(canaries.find(`a ${secret} b`)).toContain(secret);
      expect(canaries.find(tellAll(new Error('x', { cause: new Error(secret) })))).toContain(
        secret,
      );
    }
  });

  it.each(['auth', 'generate', 'validate'] as const)(
    'holds no secret whatever happens to %s',
    async (call) => {
      const codes = [1001, 1004, 1005, 1009, 2103, 2107, 2108, 2109, 2120, 2121].map(
        (code): Fault => ({
          kind: 'error',
          code,
        }),
      );
      for (const fault of [...LOST.map(([, lost]) => lost), ...codes]) {
        test.sim.failNext(call, fault, 2);
        await wander(['login', 'enterRight', 'status']);
        test.sim.clearFaults();
      }
      expect(countFailures()).toBeGreaterThan(LOST.length);
      expect(findLeaks()).toEqual({});
    },
  );

  it.each(['auth', 'generate', 'validate'] as const)(
    'holds no secret that the gateway repeats in the answer to %s',
    async (call) => {
      await visit(test).login();
      const secrets = [...canaries.secrets].join(' ');
      const envelope = {
        status_code: 401,
        status_message: secrets,
        errors: [{ code: 2103, message: secrets }],
      };
      const faults: Fault[] = [
        answer(401, JSON.stringify(envelope)),
        answer(500, secrets),
        answer(
          200,
          JSON.stringify({
            status_code: 200,
            payload: { id: secrets, access_token: `\n${secrets}` },
          }),
        ),
        { kind: 'body', status: 200, body: '{}', contentType: encodeURIComponent(secrets) },
        { kind: 'redirect', location: `/${encodeURIComponent(secrets)}` },
      ];
      for (const fault of faults) {
        test.sim.failNext(call, fault, 2);
        await wander();
        test.sim.clearFaults();
      }
      expect(countFailures()).toBeGreaterThan(faults.length / 2);
      expect(findLeaks()).toEqual({});
    },
  );

  it('holds no secret when the gateway is silent, or gone', async () => {
    await test.close();
    await start({ timeoutMs: 500 });
    for (const call of ['generate', 'validate'] as const) {
      test.sim.failNext(call, { kind: 'no-answer', when: 'after' });
      await wander();
    }
    await test.sim.close();
    await wander();
    const told = test.told('denied').flatMap(({ error }) => error ?? []);
    const codes = [...test.errors, ...told].map((error) => (error as { code?: string }).code);
    expect(new Set(codes)).toEqual(new Set(['ERR_GATEWAY_TIMEOUT', 'ERR_GATEWAY_UNREACHABLE']));
    expect(findLeaks()).toEqual({});
  });

  it('holds nothing of what stores say when they fail', async () => {
    for (const call of STORE_CALLS) {
      tampered.tamper(call, throwing);
      await wander();
      tampered.heal();
    }
    const visitor = visit(test);
    await visitor.login();
    test.sessions.failSets = true;
    responses.push(await visitor.enterRight(), await visit(test, BOB).login());
    const codes = test.errors.map((error) => (error as { code?: string }).code);
    expect(new Set(codes)).toEqual(new Set(['ERR_STORE', 'ERR_SESSION_STORE']));
    await expect(throwing()).rejects.toThrow(FOREIGN_CANARY);
    expect(findLeaks()).toEqual({});
  });
});
