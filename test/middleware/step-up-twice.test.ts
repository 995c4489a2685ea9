import { describe, expect, it } from '@jest/globals';
import { FakeGateway } from '../support/fake-gateway';
import { ALICE } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import { visit } from '../support/visit';
import { createGate } from './support/gate';

describe('a step-up that is asked for twice at the same time', () => {
  const apps = useOwnApps();

  it('waits for the message of the first request, although the second was answered earlier', async () => {
    const gate = createGate();
    const gateway = new FakeGateway();
    gateway.answerGenerate = (id) => gate.pass().then(() => ({ id }));
    const test = await apps.start({ options: { gateway } });
    const alice = visit(test);
    await alice.login();
    await alice.enter(gateway.lastPin(ALICE.phone));
    test.clock.advanceSeconds(60);
    const hold = gate.holdNext();
    const first = alice.stepUp().then((answer) => answer);
    await hold.arrived;
    expect((await alice.stepUp()).status).toBe(429);
    hold.release();

    expect((await first).body).toMatchObject({ sent: true });
    expect((await alice.enter(gateway.lastPin(ALICE.phone))).status).toBe(200);
  });
});
