import { describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { StoreError } from '../../src/errors';
import { memoryStore } from '../../src/stores/memory/memory-store';
import { postgresStore } from '../../src/stores/postgres/postgres-store';
import { redisStore } from '../../src/stores/redis/redis-store';
import type { RenewedToken } from '../../src/stores/store';

const DAY_MS = 86_400_000;

/** A renewal that ends when it is told to. */
function heldRenewal() {
  let [runs, end, fail] = [
    0,
    (_sealed: string): void => undefined,
    (_error: Error): void => undefined,
  ];
  const ended = new Promise<RenewedToken>((resolve, reject) => {
    end = (sealed) => resolve({ sealed, ttlSeconds: 60 });
    fail = reject;
  });
  const renew = (): Promise<RenewedToken> => {
    runs += 1;
    return ended;
  };
  return { renew, end, fail, runs: () => runs };
}

function sealed(text: string, ttlSeconds = 60): () => Promise<RenewedToken> {
  return () => Promise.resolve({ sealed: text, ttlSeconds });
}

describe('the token of memoryStore', () => {
  let nowMs = 0;
  const makeTokens = (maxEntries = 10) => memoryStore({ maxEntries, now: () => nowMs }).tokens;

  it('is said not to leave the process, which no other store says of its own', () => {
    expect(makeTokens().isInProcess).toBe(true);
    // Neither connects to anything by itself.
    const others = [redisStore(createClient()), postgresStore(new Pool())];
    for (const { tokens } of others) expect(tokens.isInProcess).toBeUndefined();
  });

  it('lives for its time to live, to the millisecond', async () => {
    const tokens = makeTokens();
    const token = await tokens.renew('a', 0, sealed('first', 100));
    nowMs += 99_999;
    expect(await tokens.read('a')).toEqual(token);
    nowMs += 1;
    expect(await tokens.read('a')).toBeNull();
  });

  it('is renewed by one holder for 15 s, to the millisecond', async () => {
    const tokens = makeTokens();
    const [first, second, third] = [heldRenewal(), heldRenewal(), heldRenewal()];
    const asked = [tokens.renew('a', 0, first.renew)];
    nowMs += 14_999;
    asked.push(tokens.renew('a', 0, second.renew));
    await new Promise(setImmediate);
    expect([first.runs(), second.runs()]).toEqual([1, 0]);
    nowMs += 1;
    asked.push(tokens.renew('a', 0, third.renew));
    await new Promise(setImmediate);
    expect(third.runs()).toBe(1);
    third.end('third');
    first.end('first');
    const given = await Promise.all(asked);
    expect(given.map((token) => token.sealed)).toEqual(['third', 'third', 'third']);
    expect(second.runs()).toBe(0);
  });

  it('is not renewed by a third caller when a holder fails whose lease has passed on', async () => {
    const tokens = makeTokens();
    const [first, second, third] = [heldRenewal(), heldRenewal(), heldRenewal()];
    const late = tokens.renew('a', 0, first.renew);
    nowMs += 15_000;
    const holder = tokens.renew('a', 0, second.renew);
    first.fail(new Error('late'));
    await expect(late).rejects.toThrow('late');
    const waiting = tokens.renew('a', 0, third.renew);
    second.end('second');
    expect([await holder, await waiting].map((token) => token.sealed)).toEqual([
      'second',
      'second',
    ]);
    expect(third.runs()).toBe(0);
  });

  it('is requested again by a holder whose account has expired meanwhile', async () => {
    const tokens = makeTokens();
    let runs = 0;
    const token = await tokens.renew('a', 0, () => {
      runs += 1;
      if (runs === 1) nowMs += 401 * DAY_MS;
      return Promise.resolve({ sealed: `token ${runs}`, ttlSeconds: 60 });
    });
    expect(token.sealed).toBe('token 2');
  });

  it('has a fence that is kept for 400 days after the token is gone', async () => {
    const tokens = makeTokens();
    expect((await tokens.renew('a', 0, sealed('x'))).fence).toBe(1);
    nowMs += 400 * DAY_MS - 1;
    expect((await tokens.renew('a', 0, sealed('x'))).fence).toBe(2);
    nowMs += 400 * DAY_MS;
    expect((await tokens.renew('a', 0, sealed('x'))).fence).toBe(1);
  });

  it('gives its room back when its account has expired', async () => {
    const tokens = makeTokens(1);
    await tokens.renew('a', 0, sealed('x'));
    const full = new StoreError('memoryStore: it is full');
    await expect(tokens.renew('b', 0, sealed('x'))).rejects.toThrow(full);
    nowMs += 400 * DAY_MS;
    expect((await tokens.renew('b', 0, sealed('x'))).fence).toBe(1);
  });
});
