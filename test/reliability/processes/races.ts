import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithService } from '../../services/describe-with-service';
import { isCompleteRun, VARIANTS_OF_LONG_RUNS } from '../../support/complete-run';
import type { TestUser } from '../../support/test-users';
import { wrongCode } from '../../support/visit';
import type { Answer } from '../support/browser';
import { startScene, type Scene, type SceneSettings } from '../support/scene';
import { SHARED_STATES, type StateServer } from '../support/state-server';
import { hosts, PROCESSES_IN_WORDS, serverOf } from './several';

const GUESSES = 200;
/** Logins with two right codes at once: 1,000 with `RELIABILITY_ROUNDS=1000`. */
const ROUNDS = Number(process.env.RELIABILITY_ROUNDS ?? (isCompleteRun ? 100 : 30));
const ROUNDS_AT_ONCE = 10;

/** The same answer for a wrong code, one too many, and one whose login is over. */
const REFUSED = '401 {"error":"invalid-code"}';

/**
 * A gateway that calls every code right, as often as it is asked: then the library alone decides.
 */
const YES = { kind: 'body', status: 200, body: '{"status_code":200,"payload":""}' } as const;

let scene: Scene;

async function start(settings: SceneSettings): Promise<void> {
  scene = await startScene({ people: ROUNDS, ...settings });
}

function codeOf({ phone }: TestUser): string {
  return scene.witness.pinOf(phone);
}

/** What became of 200 wrong codes that were sent at once, and of the right one after them. */
async function guessAtOnce(): Promise<object> {
  const { simulator, urls, users, browser, report } = scene;
  const [user] = users as readonly [TestUser];
  const visitor = browser();
  await visitor.logIn(urls[0] ?? '', user.id);
  const wrong = wrongCode(codeOf(user));
  const guesses = Array.from({ length: GUESSES }, (_, index) =>
    visitor.copy().enter(urls[index % urls.length] ?? '', wrong),
  );
  const answers = (await Promise.all(guesses)).map(toText);
  const late = toText(await visitor.enter(urls.at(-1) ?? '', codeOf(user)));
  const { events, errors, unhandled, passes } = await report();
  return {
    answers: [...new Set([...answers, late])],
    // Whoever claims an attempt counts as a failure and is put to the gateway.
    counted: events['failure-count-changed'],
    judged: Object.values(simulator.stats().validatesById),
    passes,
    accidents: [...errors, ...unhandled],
  };
}

const FIVE_OF_THEM = { answers: [REFUSED], counted: 5, judged: [5], passes: [], accidents: [] };

/** One login, its right code sent twice at once, to two processes. The status of both answers. */
async function enterTwice(user: TestUser, round: number): Promise<string> {
  const { urls, browser } = scene;
  const [one = '', other = ''] = [urls[round % urls.length], urls[(round + 1) % urls.length]];
  const visitor = browser();
  await visitor.logIn(one, user.id);
  const code = codeOf(user);
  const answers = await Promise.all([
    visitor.copy().enter(one, code),
    visitor.copy().enter(other, code),
  ]);
  return answers
    .map(({ status }) => status)
    .sort()
    .join(' ');
}

/** What became of many such logins. */
async function enterTwiceInEachRound(): Promise<object> {
  const { users, report, findUnproven } = scene;
  const answers = new Set<string>();
  for (let round = 0; round < ROUNDS; round += ROUNDS_AT_ONCE) {
    const rounds = users.slice(round, round + ROUNDS_AT_ONCE).map(enterTwice);
    for (const both of await Promise.all(rounds)) answers.add(both);
  }
  const { passes, errors, unhandled } = await report();
  const ids = new Set(passes.map(({ otpId }) => otpId)).size;
  const accidents = [...errors, ...unhandled];
  return {
    oddAnswers: [...answers].filter((both) => !ONE_IN.includes(both)),
    passes: passes.length,
    ids,
    accidents,
    unproven: await findUnproven(),
  };
}

/** The second is told so once the success of the first is in the store; before, its code is wrong. */
const ONE_IN = ['200 401', '200 409'];
const ONE_EACH = { oddAnswers: [], passes: ROUNDS, ids: ROUNDS, accidents: [], unproven: [] };

function toText({ status, body }: Answer): string {
  return status === 200 ? '200' : `${status} ${JSON.stringify(body)}`;
}

describe('in one process with memoryStore', () => {
  afterEach(() => scene.close());

  it('200 guesses at one code at once are five', async () => {
    await start({ state: { kind: 'memory' } });
    expect(await guessAtOnce()).toEqual(FIVE_OF_THEM);
  });
});

for (const kind of SHARED_STATES) {
  describeWithService(kind)(`with ${kind}`, () => {
    let server: StateServer;
    beforeAll(async () => {
      server = await serverOf(kind);
    });
    afterEach(async () => {
      await scene.close();
      await server.empty();
    });

    it('200 guesses at one code at once are five, in one process', async () => {
      await start({ state: server.state });
      expect(await guessAtOnce()).toEqual(FIVE_OF_THEM);
    });

    it.each(VARIANTS_OF_LONG_RUNS)(
      `200 guesses at one code at once are five, from ${PROCESSES_IN_WORDS} processes (variant %s)`,
      async (variant) => {
        await start({ state: server.state, hosts, variant });
        expect(await guessAtOnce()).toEqual(FIVE_OF_THEM);
      },
    );

    it.each(VARIANTS_OF_LONG_RUNS)(
      `two right codes at once are one login, ${ROUNDS} times (variant %s)`,
      async (variant) => {
        await start({ state: server.state, hosts, variant });
        expect(await enterTwiceInEachRound()).toEqual(ONE_EACH);
      },
    );

    it(`two right codes at once are one login, ${ROUNDS} times, although the gateway says yes to both`, async () => {
      await start({ state: server.state, hosts });
      scene.simulator.failNext('validate', YES, Infinity);
      expect(await enterTwiceInEachRound()).toEqual(ONE_EACH);
      // Often enough both were judged before one of them was over.
      expect(scene.simulator.stats().calls.validate).toBeGreaterThan(ROUNDS);
    });
  });
}
