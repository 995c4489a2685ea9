import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWithService } from '../services/describe-with-service';
import { waitUntil } from '../support/wait-until';
import { SHUT_OUT, startStage, type Stage } from './support/faults-stage';
import { Host, type HostedApp } from './support/host';
import { SHARED_STATES, startServer, type StateServer } from './support/state-server';

const PEOPLE = 20;
/** The gateway has done its work and keeps the answer to itself until the process is gone. */
const KEPT_BACK = { kind: 'no-answer', when: 'after' } as const;

for (const kind of SHARED_STATES) {
  describeWithService(kind)(`with ${kind}, a process that is killed`, () => {
    let server: StateServer;
    let stage: Stage;
    let victim: Host;
    let doomed: HostedApp;
    beforeAll(async () => {
      server = await startServer(kind);
      // This process shares all state with the one that is killed, and is there after it.
      stage = await startStage({ state: server.state, people: PEOPLE }, server);
    });
    afterAll(async () => {
      await stage.close();
      await server.close();
    });
    beforeEach(async () => {
      victim = new Host();
      doomed = await victim.open({
        gateway: stage.scene.gateway,
        people: PEOPLE,
        state: server.state,
      });
    });
    afterEach(() => victim.kill());

    it('between generate and save has charged its send, and leaves nothing that opens a door', async () => {
      const { user, browser, enterRight, knock } = stage.newcomer();
      const { witness, simulator } = stage.scene;
      const { generates } = witness;
      simulator.failNext('generate', KEPT_BACK);
      const answer = outcomeOf(browser.logIn(doomed.url, user.id));
      await waitUntil(() => witness.generates > generates);
      await stage.check();
      await victim.kill();
      expect(await answer).toBe('lost');
      await stage.check();
      const { counters, texts } = await stage.look();
      expect(counters.get(`sends:short:user:others:${user.id}`)).toBe(1);
      expect([...texts]).toEqual([]);
      expect(await enterRight()).toMatchObject({
        status: 401,
        body: { error: 'no-pending-login' },
      });
      // The same browser would join the login that the killed process has begun.
      const other = stage.again(user);
      const told = { status: 429, body: { error: 'resend-too-soon' } };
      expect(await other.logIn()).toMatchObject(told);
      expect(await knock()).toBe(SHUT_OUT);
      await stage.expectLogin(user);
    });

    it('between validate and save has charged its attempt, and its code is good for nobody any more', async () => {
      const { user, browser, enterRight, knock } = stage.newcomer();
      const { witness, simulator } = stage.scene;
      expect((await browser.logIn(doomed.url, user.id)).status).toBe(200);
      await stage.check();
      const judged = simulator.stats().calls.validate;
      simulator.failNext('validate', KEPT_BACK);
      const answer = outcomeOf(browser.enter(doomed.url, witness.pinOf(user.phone)));
      await waitUntil(() => simulator.stats().calls.validate > judged);
      await victim.kill();
      expect(await answer).toBe('lost');
      await stage.check();
      expect((await stage.look()).counters.get(`failures:others:${user.id}`)).toBe(1);
      expect(await knock()).toBe(SHUT_OUT);
      // Its answer was the only one, and nobody has heard it.
      expect(await enterRight()).toMatchObject({ status: 401, body: { error: 'invalid-code' } });
      await stage.check();
      expect(await knock()).toBe(SHUT_OUT);
      await stage.expectLogin(user);
    });
  });
}

/** The status of an answer, or that there was none. */
function outcomeOf(answer: Promise<{ readonly status: number }>): Promise<number | 'lost'> {
  return answer.then(
    ({ status }) => status,
    () => 'lost',
  );
}
