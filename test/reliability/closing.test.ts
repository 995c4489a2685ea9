import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitAtMost, withTimeout } from '../../src/stores/with-timeout';
import { describeWithService } from '../services/describe-with-service';
import type { TestUser } from '../support/test-users';
import { waitUntil } from '../support/wait-until';
import { Host } from './support/host';
import { startScene } from './support/scene';
import { SHARED_STATES, startServer, type StateServer } from './support/state-server';

for (const kind of SHARED_STATES) {
  describeWithService(kind)(`an app with ${kind}`, () => {
    let server: StateServer;
    beforeAll(async () => {
      server = await startServer(kind);
    });
    afterAll(() => server.close());

    it('leaves nothing behind when it is closed, a login in flight or not: its process ends by itself', async () => {
      const hosts = [new Host()];
      const gateway = { timeoutMs: 5_000 };
      const scene = await startScene({ state: server.state, hosts, gateway });
      const [url = ''] = scene.urls;
      const [user, other] = scene.users as readonly [TestUser, TestUser];
      const visitor = scene.browser();
      expect((await visitor.logIn(url, user.id)).status).toBe(200);
      expect((await visitor.enter(url, scene.witness.pinOf(user.phone))).status).toBe(200);
      scene.simulator.failNext('generate', 'no-answer');
      const cut = scene
        .browser()
        .logIn(url, other.id)
        .catch(() => 'cut');
      await waitUntil(() => scene.simulator.stats().calls.generate === 2);
      await scene.close();
      await cut;
      expect(await hosts[0]?.end()).toBe(0);
    });
  });
}

/** Keeps this process from hearing anything. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('a process that is too busy to hear an answer', () => {
  const late = (): Error => new Error('late');
  it.each([
    ['store', () => withTimeout('test', () => readFile(__filename), 100)],
    ['gateway or token', () => waitAtMost(readFile(__filename), 100, late)],
  ])('does not take the %s for silent', async (_what, wait) => {
    const waiting = wait();
    block(500);
    expect((await waiting).toString()).toContain('too busy');
  });

  it.each([
    ['store', () => withTimeout('test', () => new Promise(() => undefined), 100)],
    ['gateway or token', () => waitAtMost(new Promise(() => undefined), 100, late)],
  ])('gives up all the same when the %s is silent', async (_what, wait) => {
    const startedAt = performance.now();
    await expect(wait()).rejects.toThrow();
    expect(performance.now() - startedAt).toBeGreaterThan(90);
  });
});
