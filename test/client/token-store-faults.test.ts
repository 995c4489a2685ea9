import crypto from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { StoreError } from 'passport-sms-otp/client';
import { errorOf, startClient, startSimulator } from './support/gateway';
import { SharedTokens } from './support/shared-tokens';

describe('a store that fails', () => {
  it.each(['read', 'renew'] as const)(
    'at %s: the call is refused with a StoreError that tells nothing',
    async (failing) => {
      const simulator = await startSimulator({ variant: 'A' });
      const tokenStore = new SharedTokens();
      tokenStore.failing = failing;
      const { client } = startClient(simulator, { tokenStore });
      const error = await errorOf(client.otp.balance());
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({
        code: 'ERR_STORE',
        status: 503,
        cause: { name: 'Error', code: null },
      });
      expect(error.stack).not.toContain('canary');
      expect(simulator.stats().calls.auth).toBe(0);
      tokenStore.failing = null;
      await expect(client.otp.balance()).resolves.toHaveProperty('balance');
    },
  );

  it('by hanging: the call is refused after 2 s', async () => {
    const simulator = await startSimulator({ variant: 'A' });
    const tokenStore = new SharedTokens();
    tokenStore.failing = 'hang';
    const { client } = startClient(simulator, { tokenStore });
    expect(await errorOf(client.otp.balance())).toBeInstanceOf(StoreError);
  });

  it('disturbs nobody while the token is good, not even when it is to be renewed', async () => {
    const simulator = await startSimulator({ variant: 'A' });
    const tokenStore = new SharedTokens();
    const { client, clock } = startClient(simulator, { tokenStore });
    await client.warmUp();
    tokenStore.failing = 'read';
    clock.advanceSeconds(1_700);
    await client.otp.balance();
    await expect(client.otp.balance()).resolves.toHaveProperty('balance');
  });

  it('a renewal that the gateway refuses frees the store for the next', async () => {
    const simulator = await startSimulator({ variant: 'A' });
    const tokenStore = new SharedTokens();
    const { client } = startClient(simulator, { tokenStore });
    simulator.failNext('auth', { kind: 'error', code: 2121 });
    expect(await errorOf(client.otp.balance())).toMatchObject({
      code: 'ERR_GATEWAY_REJECTED',
      gatewayCode: 2121,
    });
    await expect(client.otp.balance()).resolves.toHaveProperty('balance');
  });

  it('is not blamed for what fails beside it during a renewal', async () => {
    const simulator = await startSimulator({ variant: 'A' });
    const { client } = startClient(simulator, { tokenStore: new SharedTokens() });
    const failure = new TypeError('not a function on this platform');
    const seal = jest.spyOn(crypto, 'createCipheriv').mockImplementationOnce(() => {
      throw failure;
    });
    expect(await errorOf(client.otp.balance())).toBe(failure);
    seal.mockRestore();
    await expect(client.otp.balance()).resolves.toHaveProperty('balance');
  });
});
