import { createDecipheriv, hkdfSync, scryptSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { logIn, ofType, startClient, startSimulator, until } from './support/gateway';
import { useRealScrypt } from '../support/real-scrypt';
import { SharedTokens } from './support/shared-tokens';

describe.each(['A', 'B'] as const)('variant %s: clients that share a token store', (variant) => {
  it('authenticate once, cold', async () => {
    const simulator = await startSimulator({ variant });
    const tokenStore = new SharedTokens();
    const clients = Array.from({ length: 8 }, () => startClient(simulator, { tokenStore }));
    await Promise.all(
      clients.flatMap(({ client }) => [client.otp.balance(), client.otp.balance()]),
    );
    expect(simulator.stats().calls).toMatchObject({ auth: 1, balance: 16 });
    const hows = clients.flatMap(({ events }) =>
      ofType(events, 'token-renewed').map(({ by }) => by),
    );
    expect(hows.sort()).toEqual(['credentials', ...Array.from({ length: 7 }, () => 'shared')]);
  });

  it('authenticate once with an expired token, whoever notices it', async () => {
    const simulator = await startSimulator({ variant });
    const tokenStore = new SharedTokens();
    const clients = Array.from({ length: 4 }, () => startClient(simulator, { tokenStore }));
    await Promise.all(clients.map(({ client }) => client.warmUp()));
    simulator.advanceSeconds(1_801);
    await Promise.all(clients.map(({ client }) => logIn({ client, simulator }).catch(() => null)));
    expect(simulator.stats().calls.auth).toBe(2);
    for (const { clock } of clients) clock.advanceSeconds(1_801);
    await Promise.all(clients.map(({ client }) => client.otp.balance()));
    expect(simulator.stats().calls.auth).toBe(3);
  });

  it('renew ahead of the end once: the others take the new token', async () => {
    const simulator = await startSimulator({ variant });
    const tokenStore = new SharedTokens();
    const clients = [
      startClient(simulator, { tokenStore }),
      startClient(simulator, { tokenStore }),
    ];
    for (const { client } of clients) await client.warmUp();
    for (const { client, clock, events } of clients) {
      clock.advanceSeconds(1_700);
      await client.otp.balance();
      await until(() => ofType(events, 'token-renewed').length === 2);
    }
    expect(simulator.stats().authentications).toEqual({ credentials: 1, refresh: 1 });
    expect(ofType(clients[1]?.events ?? [], 'token-renewed').map(({ by }) => by)).toEqual([
      'shared',
      'shared',
    ]);
  });

  it('ask the store for nothing while the token is good', async () => {
    const simulator = await startSimulator({ variant });
    const tokenStore = new SharedTokens();
    const { client } = startClient(simulator, { tokenStore });
    for (let call = 0; call < 20; call += 1) await client.otp.balance();
    expect(tokenStore.reads).toBe(1);
  });

  it('put nothing readable into it', async () => {
    const simulator = await startSimulator({ variant });
    const tokenStore = new SharedTokens();
    const { client } = startClient(simulator, { tokenStore });
    await client.warmUp();
    const stored = JSON.stringify([...tokenStore.accounts]);
    expect(stored).toMatch(/^\[\["[0-9a-f]{32}",\{"fence":1,"sealed":"v2\.[\w-]+"\}\]\]$/);
    for (const secret of [simulator.username, simulator.password, simulator.baseUrl]) {
      expect(stored).not.toContain(secret);
    }
  });

  it('spare that cost where nothing leaves the process', async () => {
    const simulator = await startSimulator({ variant });
    const tokenStore = Object.assign(new SharedTokens(), { isInProcess: true });
    await startClient(simulator, { tokenStore }).client.warmUp();
    const salt = JSON.stringify([simulator.username, new URL(simulator.baseUrl).host]);
    const opened = JSON.parse(openWith(simulator.password + salt, tokenStore));
    expect(opened).toMatchObject({ accessToken: expect.any(String) });
  });
});

describe.each(['A', 'B'] as const)('variant %s: clients that share a token store', (variant) => {
  useRealScrypt();

  it('encrypt it under a key that costs what OWASP asks for: scrypt with N=2^14, r=8, p=5', async () => {
    const simulator = await startSimulator({ variant });
    const tokenStore = new SharedTokens();
    await startClient(simulator, { tokenStore }).client.warmUp();
    const salt = JSON.stringify([simulator.username, new URL(simulator.baseUrl).host]);
    const stretched = scryptSync(simulator.password, salt, 32, { N: 2 ** 14, r: 8, p: 5 });
    expect(JSON.parse(openWith(stretched, tokenStore))).toMatchObject({
      accessToken: expect.any(String),
    });
  });
});

/** Opens the token of a store with one account under a key made of this secret. */
function openWith(secret: Buffer | string, { accounts }: SharedTokens): string {
  const [[account, { sealed }] = ['', { sealed: '' }]] = accounts;
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'token', 32));
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAAD(Buffer.from(`v2.${account}`)).setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
}

describe('a stored token that is of no use', () => {
  it.each([
    ['nonsense', (): string => 'nonsense'],
    ['nothing', (): string => ''],
    ['a version nobody knows', (sealed: string): string => sealed.replace('v2.', 'v3.')],
    ['the version of 0.1.0', (sealed: string): string => sealed.replace('v2.', 'v1.')],
    ['cut short', (sealed: string): string => sealed.slice(0, 20)],
    ['changed', (sealed: string): string => `${sealed.slice(0, -4)}AAAA`],
  ])('%s: counts as none', async (_title, spoil) => {
    const simulator = await startSimulator({ variant: 'B' });
    const tokenStore = new SharedTokens();
    await startClient(simulator, { tokenStore }).client.warmUp();
    for (const [account, { fence, sealed }] of tokenStore.accounts) {
      tokenStore.accounts.set(account, { fence, sealed: spoil(sealed) });
    }
    const { client } = startClient(simulator, { tokenStore });
    await expect(client.otp.balance()).resolves.toHaveProperty('balance');
    expect(simulator.stats().authentications).toEqual({ credentials: 2, refresh: 0 });
  });

  it('moved from another account: counts as none', async () => {
    const simulator = await startSimulator({ variant: 'B' });
    const tokenStore = new SharedTokens();
    await startClient(simulator, { tokenStore }).client.warmUp();
    const baseUrl = simulator.baseUrl.replace('127.0.0.1', 'LOCALHOST');
    await startClient(simulator, { tokenStore, baseUrl }).client.warmUp();
    const [one, other] = tokenStore.accounts.keys();
    if (one === undefined || other === undefined) throw new Error('there are not two accounts');
    const sealed = tokenStore.accounts.get(one)?.sealed ?? '';
    tokenStore.accounts.set(other, { fence: 9, sealed });
    const { client, events } = startClient(simulator, { tokenStore, baseUrl });
    await client.warmUp();
    expect(ofType(events, 'token-renewed')).toEqual([{ type: 'token-renewed', by: 'credentials' }]);
  });

  it('lost with the store: it is renewed, and whoever held it takes the new one', async () => {
    const simulator = await startSimulator({ variant: 'B' });
    const tokenStore = new SharedTokens();
    const clients = [
      startClient(simulator, { tokenStore }),
      startClient(simulator, { tokenStore }),
    ];
    for (let renewal = 0; renewal < 3; renewal += 1) {
      simulator.advanceSeconds(1_801);
      for (const { client, clock } of clients) {
        clock.advanceSeconds(1_801);
        await client.otp.balance();
      }
    }
    tokenStore.accounts.clear();
    simulator.advanceSeconds(1_801);
    const before = simulator.stats().calls.auth;
    for (const { client } of clients) await client.otp.balance();
    expect(simulator.stats().calls.auth).toBe(before + 1);
  });
});
