import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { describeWithService } from '../../services/describe-with-service';
import type { TestUser } from '../../support/test-users';
import { wrongCode } from '../../support/visit';
import type { Browser } from '../support/browser';
import { Invariants } from '../support/invariants';
import { startScene, type Scene } from '../support/scene';
import { SHARED_STATES, type StateServer } from '../support/state-server';
import { hosts, serverOf } from './several';

/** Browsers of each user's attacker, each at an address of its own. */
const SESSIONS = 4;
/** How often each of them begins anew, unless it is told before that this was too often. */
const MOST_ROUNDS = 200;
const GUESSES_A_ROUND = 6;
const KNOWN_BROWSERS = 3;
const GUESSES_AT_ONCE = 200;

let scene: Scene;

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

    it('logging in and guessing again and again, over many sessions, addresses and processes, stays within the limits of each user', async () => {
      scene = await startScene({ state: server.state, hosts, people: 4 });
      const viewer = await server.view();
      const invariants = new Invariants(scene.witness, viewer, scene);
      // The password is known; what is between two sends is taken away, as if the time had
      // passed.
      const waiting = new AbortController();
      const lifting = liftGapsAgain(server, waiting.signal);
      const attacks = scene.users.flatMap((user) =>
        Array.from({ length: SESSIONS }, (_, session) => attack(user, session)),
      );
      const ends = await Promise.all(attacks).finally(() => waiting.abort());
      await lifting;
      for (const end of ends) expect(['locked', 'send-limit']).toContain(end);
      const { passes, errors, unhandled } = await scene.report();
      expect(await invariants.findBreaches({ passes })).toEqual([]);
      expect([passes, errors, unhandled]).toEqual([[], [], []]);
      const { counters } = await viewer.look();
      for (const user of scene.users) {
        const [failures, sends] = [judgedOf(user), sentTo(user)];
        expect(counters.get(`failures:others:${user.id}`)).toBe(failures);
        expect(counters.get(`sends:short:user:others:${user.id}`)).toBe(sends);
        // Ten failures are judged, five sends in ten minutes are made: one of the two has stopped
        // them.
        expect(failures).toBeLessThanOrEqual(10);
        expect(sends).toBeLessThanOrEqual(5);
        expect(failures === 10 || sends === 5).toBe(true);
      }
      await viewer.close();
    });

    it('two hundred guesses at once, in known browsers and in others, stay within the limits of each', async () => {
      scene = await startScene({ state: server.state, hosts, people: 1 });
      const [user] = scene.users;
      if (user === undefined) throw new Error('nobody is there');
      const viewer = await server.view();
      const known: Browser[] = [];
      for (let count = 0; count < KNOWN_BROWSERS; count += 1) known.push(await becomeKnown(user));
      const browsers = [...known, scene.browser('203.0.113.1'), scene.browser('203.0.113.2')];
      const guesses = browsers.map(() => new Set<string>());
      for (let round = 0; round < 3; round += 1) {
        for (const [index, browser] of browsers.entries())
          await beginAgain(server, browser, user, guesses[index]);
        const wrong = wrongCode(scene.witness.pinOf(user.phone));
        await Promise.all(
          Array.from({ length: GUESSES_AT_ONCE }, async (_, index) =>
            browsers[index % browsers.length]?.enter(scene.urls[index % hosts.length] ?? '', wrong),
          ),
        );
      }
      const judged = guesses.map((ids) => sumOf(ids));
      const inKnown = judged.slice(0, KNOWN_BROWSERS);
      const inOthers = judged.slice(KNOWN_BROWSERS).reduce((sum, count) => sum + count, 0);
      expect(inKnown).toEqual(inKnown.map(() => 10));
      expect(inOthers).toBe(10);
      const { counters } = await viewer.look();
      expect(counters.get(`failures:known:${user.id}`)).toBe(10 * KNOWN_BROWSERS);
      expect(counters.get(`failures:others:${user.id}`)).toBe(10);
      await viewer.close();
    });
  });
}

/** One after the other: on a busy machine they would pile up and keep the server from its work. */
async function liftGapsAgain(server: StateServer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await server.liftGaps();
    await wait(5);
  }
}

/** A browser in which the user has entered a right code; then the session is over. */
async function becomeKnown(user: TestUser): Promise<Browser> {
  const browser = scene.browser();
  const [url = ''] = scene.urls;
  await browser.logIn(url, user.id);
  expect((await browser.enter(url, scene.witness.pinOf(user.phone))).status).toBe(200);
  browser.leave();
  return browser;
}

/** The password again once the gap is over; keeps the id that the session waits for. */
async function beginAgain(
  server: StateServer,
  browser: Browser,
  user: TestUser,
  ids: Set<string> | undefined,
): Promise<void> {
  const [url = ''] = scene.urls;
  browser.leave();
  await server.liftGaps();
  await browser.logIn(url, user.id);
  const { session } = (await browser.get(url, '/status')).body as {
    session?: { pending?: { otpId: string } };
  };
  if (session?.pending !== undefined) ids?.add(session.pending.otpId);
}

function sumOf(ids: ReadonlySet<string>): number {
  return [...ids].reduce((sum, id) => sum + (scene.witness.judged.get(id) ?? 0), 0);
}

/**
 * One browser that logs in, guesses, and begins again, until it is told why it may not any more.
 */
async function attack(user: TestUser, session: number): Promise<unknown> {
  const { urls, browser, witness } = scene;
  const visitor = browser(`203.0.113.${session}`);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const url = urls[(session + round) % urls.length] ?? '';
    const { status, body } = await visitor.logIn(url, user.id);
    if (status === 429 && body.error !== 'resend-too-soon') return body.error;
    for (let count = 0; status === 200 && count < GUESSES_A_ROUND; count += 1) {
      const next = urls[(session + round + count) % urls.length] ?? '';
      await visitor.enter(next, wrongCode(witness.pinOf(user.phone)));
    }
  }
  return 'never';
}

function sentTo({ phone }: TestUser): number {
  return scene.simulator.outbox.filter(({ mobile }) => mobile === phone).length;
}

function judgedOf({ phone }: TestUser): number {
  const { judged, mobiles } = scene.witness;
  const own = Array.from(judged).filter(([id]) => mobiles.get(id) === phone);
  return own.reduce((sum, [, count]) => sum + count, 0);
}
