import { beforeEach, describe, expect, it } from '@jest/globals';
import { seen, visit } from '../support/visit';
import { useApp } from '../support/use-app';

describe.each(['A', 'B'] as const)('the only place at the gateway in variant %s', (variant) => {
  const test = useApp({ variant, gateway: { connections: 1, queueLimit: 0 } });
  const alice = visit(test);
  beforeEach(async () => {
    await alice.login();
  });

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
