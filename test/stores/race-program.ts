import { Pool } from 'pg';

import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { connectionOf } from '../services/postgres';
import { connectIoRedis, connectNodeRedis } from './redis-clients';

/** What one process got out of the race. */
export interface RaceResult {
  readonly claimed: number;
  readonly charged: number;
  readonly consumed: number;
  readonly spent: number;
  readonly rotated: number;
  readonly budget: number;
  readonly renewals: number;
  readonly token: string;
}

// Run as a program: `race-program <store> <port> <OTP id> <calls>`. It connects, says so, waits for the
// start, and tells its result.
void race().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
  process.disconnect();
});

async function race(): Promise<void> {
  const [, , kind = '', port = '', otpId = '', calls = ''] = process.argv;
  const { store, close } = await open(kind, Number(port));
  const started = new Promise((resolve) => process.once('message', resolve));
  process.send?.('ready');
  await started;
  process.send?.(await run(store, otpId, Number(calls)));
  await close();
  process.disconnect();
}

async function run(
  store: Required<SmsOtpStore>,
  otpId: string,
  calls: number,
): Promise<RaceResult> {
  const atOnce = <Result>(call: () => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: calls }, call));
  const { challenges, counters, tokens, recoveryCodes, devices } = store;
  let renewals = 0;
  const renew = (): Promise<{ sealed: string; ttlSeconds: number }> => {
    renewals += 1;
    return Promise.resolve({ sealed: `by ${process.pid}`, ttlSeconds: 60 });
  };
  const counter = { key: otpId, windowSeconds: 60, max: 5 };
  const renewed = tokens.renew(otpId, 0, renew);
  const claims = await atOnce(() => challenges.claim(otpId));
  const charges = await atOnce(() => counters.charge([counter]));
  const consumed = await atOnce(() => challenges.consume(otpId));
  const spent = await atOnce(() => recoveryCodes.spend('user', otpId));
  const token = { seenHash: 'first', nextHash: `by-${process.pid}`, usedAt: 1 };
  const rotations = await atOnce(() => devices.rotate('user', otpId, token));
  const priced = { key: 'budget', windowSeconds: 60, amount: 7, max: 100 };
  const budget = await atOnce(() => counters.charge([priced]));
  const { sealed } = await renewed;
  return {
    claimed: claims.filter(({ outcome }) => outcome === 'claimed').length,
    charged: charges.filter(({ refusedBy }) => refusedBy === null).length,
    consumed: consumed.filter((isMine) => isMine).length,
    spent: spent.filter(({ isSpent }) => isSpent).length,
    rotated: rotations.filter(({ outcome }) => outcome === 'rotated').length,
    budget: budget.filter(({ refusedBy }) => refusedBy === null).length,
    renewals,
    token: sealed,
  };
}

async function open(
  kind: string,
  port: number,
): Promise<{ store: Required<SmsOtpStore>; close: () => Promise<void> }> {
  if (kind === 'postgres') {
    const pool = new Pool({ ...connectionOf(port), max: 3 });
    return { store: postgresStore(pool), close: () => pool.end() };
  }
  const { client, close } = await (kind === 'ioredis'
    ? connectIoRedis(port)
    : connectNodeRedis(port));
  return { store: redisStore(client, { onWarning: () => undefined }), close };
}
