import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeInCompleteRun } from '../support/complete-run';
import type { TestUser } from '../support/test-users';
import { waitUntil } from '../support/wait-until';
import type { Answer } from './support/browser';
import { endHosts, startHosts, type Host } from './support/host';
import { startScene, type Scene } from './support/scene';

/** As many as run and wait by default: 50 connections, 200 in the queue. */
const PLACES = 250;
const RUNNING = 50;
const TOO_MANY = 20;
/** Long enough to do everything else meanwhile, on a busy machine too. */
const HANGING_MS = 25_000;
/** What is told where no text could go out: the login waits for one. */
const NOT_SENT = { error: 'not-sent', pending: true, retryAfterSeconds: expect.any(Number) };
/** From the breaker's opening to its first probe. */
const PROBE_SECONDS = 5;

let scene: Scene;

function logIn({ id }: TestUser): Promise<Answer> {
  return scene.browser().logIn(scene.urls[0] ?? '', id);
}

function someUsers(first: number, count: number): readonly TestUser[] {
  return scene.users.slice(first, first + count);
}

describeInCompleteRun('a gateway that hangs', () => {
  let hosts: Host[];
  beforeAll(() => {
    hosts = startHosts(1);
  });
  beforeEach(async () => {
    scene = await startScene({
      state: { kind: 'memory' },
      hosts,
      people: PLACES + TOO_MANY + 10,
      gateway: { timeoutMs: HANGING_MS },
      // So that what was charged shows ten minutes later too: a gap ends after half a minute.
      options: { limits: { perNumber: { max: 1 } } },
    });
  });
  afterEach(() => scene.close());
  afterAll(() => endHosts(hosts));

  it('holds 250 logins: other pages answer, further logins are refused at once, and all works again after it', async () => {
    const { simulator, users, urls, browser, report } = scene;
    const [last] = users.slice(-1) as [TestUser];
    // The token is at hand.
    expect((await logIn(last)).status).toBe(200);
    simulator.failNext('generate', 'no-answer', Infinity);
    let answered = 0;
    const hanging = someUsers(0, PLACES).map(async (user) => {
      const answer = await logIn(user);
      answered += 1;
      return answer;
    });
    await waitUntil(() => simulator.stats().calls.generate === 1 + RUNNING);

    const pages = await Promise.all(
      Array.from({ length: 100 }, () => browser().get(urls[0] ?? '', '/ping')),
    );
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await Promise.all(someUsers(PLACES, TOO_MANY).map(logIn));
    for (const answer of refused) {
      const body = { ...NOT_SENT, retryAfterSeconds: 1 };
      expect(answer).toEqual({ status: 503, body, retryAfter: '1' });
    }
    expect([answered, simulator.stats().calls.generate]).toEqual([0, 1 + RUNNING]);

    // Once those that ran have failed the breaker is open; on a busy machine its time may be over
    // before all are answered.
    await Promise.all(hanging.slice(0, RUNNING));
    const stopped = await logIn(users[PLACES] ?? last);
    expect(stopped).toMatchObject({ status: 503, body: NOT_SENT });
    expect(Number(stopped.retryAfter)).toBeLessThanOrEqual(PROBE_SECONDS);

    const ends = await Promise.all(hanging);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set([504]));
    // The last moments of those who waited may have been enough to be sent.
    const sent = simulator.stats().calls.generate - 1;
    simulator.clearFaults();
    let answer = stopped;
    while (answer.status === 503) answer = await logIn(users[PLACES] ?? last);
    expect(answer.status).toBe(200);
    // Whatever was sent was charged.
    const again = await Promise.all(someUsers(0, PLACES).map(logIn));
    const charged = again.filter(({ status }) => status === 429).length;
    const free = again.filter(({ status }) => status === 200).length;
    expect(charged).toBeGreaterThanOrEqual(sent);
    expect(charged + free).toBe(PLACES);
    expect((await report()).events).toMatchObject({
      'gateway-failing': 1,
      'gateway-recovered': 1,
    });
    expect((await report()).unhandled).toEqual([]);
  });
});
