import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithService } from '../services/describe-with-service';
import type { TestUser } from '../support/test-users';
import { wrongCode } from '../support/visit';
import { endHosts, startHosts, type Host } from './support/host';
import { startScene, type Scene, type SceneSettings } from './support/scene';
import { SHARED_STATES, startServer, type StateServer } from './support/state-server';

const PROCESSES = 8;
const GUESSES = 200;
/** Logins with two right codes at once: 1,000 with `RELIABILITY_ROUNDS=1000`. */
const ROUNDS = Number(process.env.RELIABILITY_ROUNDS ?? 100);
const ROUNDS_AT_ONCE = 10;
const TIMEOUT_MS = 60_000 + ROUNDS * 500;

/** The same answer for a wrong code, one too many, and one whose challenge is over. */
const REFUSED = { status: 401, body: { error: 'invalid-code' } };

/** A gateway that calls every code right, as often as it is asked: then the library alone decides. */
const YES = { kind: 'body', status: 200, body: '{"status_code":200,"payload":""}' } as const;

let hosts: Host[];
let scene: Scene;
beforeAll(() => {
  hosts = startHosts(PROCESSES);
});
afterEach(() => scene.close());
afterAll(async () => {
  expect(await endHosts(hosts)).toEqual(hosts.map(() => 0));
}, TIMEOUT_MS);

async function start(settings: SceneSettings): Promise<void> {
  scene = await startScene({ people: ROUNDS, ...settings });
}

function codeOf({ phone }: TestUser): string {
  return scene.witness.pinOf(phone);
}

async function guessAtOnce(): Promise<void> {
  const { simulator, urls, users, browser, report } = scene;
  const [user] = users as readonly [TestUser];
  const visitor = browser();
  await visitor.logIn(urls[0] ?? '', user.id);
  const wrong = wrongCode(codeOf(user));
  const guesses = Array.from({ length: GUESSES }, (_, index) =>
    visitor.copy().enter(urls[index % urls.length] ?? '', wrong),
  );
  for (const answer of await Promise.all(guesses)) expect(answer).toMatchObject(REFUSED);
  // Whoever received the challenge was counted as a failure and put to the gateway.
  const { events, errors, unhandled } = await report();
  expect(events).toMatchObject({ 'failure-count-changed': 5, rejected: 5 });
  expect(Object.values(simulator.stats().validatesById)).toEqual([5]);
  expect([...errors, ...unhandled]).toEqual([]);
  // The right code comes too late.
  expect(await visitor.enter(urls.at(-1) ?? '', codeOf(user))).toMatchObject(REFUSED);
  expect((await report()).passes).toEqual([]);
}

/** One login, its right code sent twice at once, to two processes. The status of both answers. */
async function enterTwice(user: TestUser, round: number): Promise<number[]> {
  const { urls, browser } = scene;
  const [one = '', other = ''] = [urls[round % urls.length], urls[(round + 1) % urls.length]];
  const visitor = browser();
  expect(await visitor.logIn(one, user.id)).toMatchObject({ status: 200 });
  const code = codeOf(user);
  const answers = await Promise.all([visitor.copy().enter(one, code), visitor.copy().enter(other, code)]);
  return answers.map(({ status }) => status).sort();
}

async function enterTwiceInEachRound(): Promise<void> {
  const { users, report } = scene;
  for (let round = 0; round < ROUNDS; round += ROUNDS_AT_ONCE) {
    const rounds = users.slice(round, round + ROUNDS_AT_ONCE).map((user, index) => enterTwice(user, index));
    for (const statuses of await Promise.all(rounds)) expect(statuses).toEqual([200, 401]);
  }
  const { passes, errors, unhandled } = await report();
  expect(new Set(passes.map(({ otpId }) => otpId)).size).toBe(ROUNDS);
  expect(passes).toHaveLength(ROUNDS);
  expect([...errors, ...unhandled]).toEqual([]);
}

describe('in one process with memoryStore', () => {
  it('200 guesses at one code at once are five', async () => {
    await start({ state: { kind: 'memory' } });
    await guessAtOnce();
  });
});

for (const kind of SHARED_STATES) {
  describeWithService(kind)(`with ${kind}`, () => {
    let server: StateServer;
    beforeAll(async () => {
      server = await startServer(kind);
    }, TIMEOUT_MS);
    afterEach(() => server.empty());
    afterAll(() => server.close());

    it(
      '200 guesses at one code at once are five, in one process',
      async () => {
        await start({ state: server.state });
        await guessAtOnce();
      },
      TIMEOUT_MS,
    );

    it.each(['A', 'B'] as const)(
      '200 guesses at one code at once are five, from eight processes (variant %s)',
      async (variant) => {
        await start({ state: server.state, hosts, variant });
        await guessAtOnce();
      },
      TIMEOUT_MS,
    );

    it.each(['A', 'B'] as const)(
      `two right codes at once are one login, ${ROUNDS} times (variant %s)`,
      async (variant) => {
        await start({ state: server.state, hosts, variant });
        await enterTwiceInEachRound();
      },
      TIMEOUT_MS,
    );

    it(
      `two right codes at once are one login, ${ROUNDS} times, although the gateway says yes to both`,
      async () => {
        await start({ state: server.state, hosts });
        scene.simulator.failNext('validate', YES, Infinity);
        await enterTwiceInEachRound();
        // Often enough both were judged before one of them was over.
        expect(scene.simulator.stats().calls.validate).toBeGreaterThan(ROUNDS);
      },
      TIMEOUT_MS,
    );
  });
}
