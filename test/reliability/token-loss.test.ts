import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { TOKEN_LEASE_SECONDS } from '../../src/stores/check-values';
import { describeWithService } from '../services/describe-with-service';
import { describeInCompleteRun, isCompleteRun } from '../support/complete-run';
import { queue } from '../support/people';
import type { TestUser } from '../support/test-users';
import { waitUntil } from '../support/wait-until';
import { startHosts, type Host } from './support/host';
import { startScene, type Scene } from './support/scene';
import { startServer, type StateServer } from './support/state-server';

/** Longer on a machine that loses no token in that time. */
const FIGHT_MS = 8_000;

/**
 * Three tokens are lost before a process notices; then it renews at most once in five seconds. A
 * renewal is up to two requests: a refresh, which the other's login has made worthless, and the
 * credentials.
 */
function mostAuthentications(elapsedMs: number): number {
  return 2 * 2 * (4 + Math.ceil(elapsedMs / 5_000));
}

let hosts: Host[];
let scene: Scene;
let next: () => TestUser;

/** Two processes for each test: one of them may be killed. */
function useTwoHosts(): void {
  beforeEach(() => {
    hosts = startHosts(2);
  });
  afterEach(async () => {
    await scene.close();
    await Promise.all(hosts.map((host) => host.kill()));
  });
}

/** One login at one process: the status that it ends with. */
async function logIn(url: string, user: TestUser): Promise<number> {
  const visitor = scene.browser();
  const { status } = await visitor.logIn(url, user.id);
  return status === 200
    ? (await visitor.enter(url, scene.witness.pinOf(user.phone))).status
    : status;
}

function countTokens(): number {
  const { credentials, refresh } = scene.simulator.stats().authentications;
  return credentials + refresh;
}

/** How long the lease on the token still lasts, by the server's own clock. */
async function readLeaseMs({ service }: StateServer): Promise<number> {
  const client = new Redis({ port: service.port, host: '127.0.0.1' });
  const [key = ''] = await client.keys('*:lease:*');
  const leaseMs = await client.pttl(key);
  client.disconnect();
  return leaseMs;
}

describeInCompleteRun('two processes that share no store', () => {
  useTwoHosts();

  it('throw each other out, say so, and do not keep on authenticating', async () => {
    const timeoutMs = 1_000;
    const state = { kind: 'memory' } as const;
    scene = await startScene({
      state,
      hosts,
      variant: 'B',
      people: 20_000,
      gateway: { timeoutMs },
    });
    next = queue(scene.users);
    const beganAt = Date.now();
    const endAt = beganAt + FIGHT_MS;
    const keepOn = async (url: string): Promise<void> => {
      while (Date.now() < endAt || countTokens() <= 2) {
        await logIn(url, next());
        // What is refused is refused at once: nobody needs a thousand refusals a second.
        await wait(20);
      }
    };
    await Promise.all([...scene.urls, ...scene.urls].map(keepOn));
    const { events, passes, unhandled } = await scene.report();
    expect(events['token-taken-over']).toBeGreaterThan(0);
    expect(countTokens()).toBeGreaterThan(2);
    expect(countTokens()).toBeLessThanOrEqual(mostAuthentications(Date.now() - beganAt));
    expect(passes.length).toBeGreaterThan(0);
    expect([await scene.findUnproven(), unhandled]).toEqual([[], []]);
  });
});

const withRedis = isCompleteRun ? describeWithService('redis') : describe.skip;
withRedis('a process that is killed while it renews the token for all', () => {
  useTwoHosts();
  let server: StateServer;
  beforeAll(async () => {
    server = await startServer('redis');
  });
  afterAll(() => server.close());

  it('frees the lease by time: the others are refused meanwhile, then one authenticates', async () => {
    const timeoutMs = 3_000;
    scene = await startScene({
      state: server.state,
      hosts,
      people: 20_000,
      gateway: { timeoutMs },
    });
    next = queue(scene.users);
    const [doomed = '', other = ''] = scene.urls;
    scene.simulator.failNext('auth', 'no-answer');
    const lost = logIn(doomed, next()).catch(() => 'cut');
    await waitUntil(() => scene.simulator.stats().calls.auth === 1);
    await hosts[0]?.kill();
    const leaseMs = await readLeaseMs(server);
    expect(leaseMs).toBeGreaterThan(0);
    expect(leaseMs).toBeLessThanOrEqual(TOKEN_LEASE_SECONDS * 1000);
    const refusals = new Set<number>();
    let status = await logIn(other, next());
    while (status !== 200) {
      refusals.add(status);
      status = await logIn(other, next());
    }
    expect(await lost).toBe('cut');
    for (const refusal of refusals) expect([503, 504]).toContain(refusal);
    expect(refusals.size).toBeGreaterThan(0);
    expect(countTokens()).toBe(1);
    expect(await logIn(other, next())).toBe(200);
  });
});
