import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/test-app';
import { seen, visit, type Visit } from '../support/visit';

describe.each(['A', 'B'] as const)('the only place at the gateway in variant %s', (variant) => {
  let test: TestApp;
  let alice: Visit;
  beforeEach(async () => {
    test = await startTestApp({ variant, gateway: { connections: 1, queueLimit: 0 } });
    alice = visit(test);
    await alice.login();
  });
  afterEach(() => test.close());

  it('is free again after a send that was refused', async () => {
    expect(seen(await visit(test).login())).toMatchObject([
      429,
      { error: 'resend-too-soon', pending: true },
    ]);
    expect((await alice.enterRight()).status).toBe(200);
  });

  it('is free again after a code that was too late to be judged', async () => {
    test.clock.advanceSeconds(301);
    expect(seen(await alice.enterRight())).toEqual([401, { error: 'expired' }]);
    expect((await alice.resend()).status).toBe(200);
    expect((await alice.enterRight()).status).toBe(200);
  });
});
