import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';

const START = Date.UTC(2030, 0, 1);

/** Gives a new store a server whose clock differs, and resolves once it can have warned. */
type Connect = (answer: () => Promise<number>) => Promise<void>;

const warnings: string[] = [];
let now: number;
beforeEach(() => {
  now = START;
  warnings.length = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
    warnings.push(`${(options as { code: string }).code}: ${String(message)}`);
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

const connectRedis: Connect = async (answer) => {
  const info = async (section: string): Promise<string> =>
    section === 'server' ? `server_time_usec:${(await answer()) * 1000}\r\n` : 'aof_enabled:1';
  const script = (): Promise<number[]> => Promise.resolve([0, 1, 0, 0, 1]);
  redisStore({ isReady: true, evalSha: script, eval: script, info });
  await settled();
};

const connectPostgres: Connect = async (answer) => {
  const query = async (text: string): Promise<{ rows: unknown[] }> =>
    text.startsWith('SELECT extract') ? { rows: [{ now: String(await answer()) }] } : { rows: [] };
  const { counters } = postgresStore({ query });
  for (let time = 1; time <= 3; time += 1) await counters.unlock(['a']);
  await settled();
};

describe.each([
  ['Redis', connectRedis],
  ['PostgreSQL', connectPostgres],
] as const)('the clock of %s', (name, connect) => {
  it.each([
    [31_000, `31 s ahead of`],
    [-31_000, `31 s behind`],
    [3_600_000, `3600 s ahead of`],
  ])('is warned of once where it differs by %p ms', async (differenceMs, how) => {
    await connect(() => Promise.resolve(START + differenceMs));
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(`^SMS_OTP_CLOCK: The clock of ${name} is ${how} the clock of this machine`),
      ),
    ]);
  });

  it.each([0, 30_000, -30_000])(
    'is not warned of where it differs by %p ms',
    async (difference) => {
      await connect(() => Promise.resolve(START + difference));
      expect(warnings).toEqual([]);
    },
  );

  it('is not warned of for an answer that took long', async () => {
    await connect(() => {
      const time = now;
      now += 60_000;
      return Promise.resolve(time);
    });
    expect(warnings).toEqual([]);
  });

  it('is not warned of where the server does not say', async () => {
    await connect(() => Promise.reject(new Error('no right')));
    await connect(() => Promise.resolve(NaN));
    expect(warnings).toEqual([]);
  });
});

it('is asked of PostgreSQL once, after the first statement, and no statement waits for it', async () => {
  const texts: string[] = [];
  const query = (text: string): Promise<{ rows: unknown[] }> => {
    texts.push(text.slice(0, 14));
    const isClock = text.startsWith('SELECT extract');
    return isClock ? new Promise(() => undefined) : Promise.resolve({ rows: [] });
  };
  const { counters } = postgresStore({ query });
  await counters.unlock(['a']);
  await counters.unlock(['a']);
  const isClock = texts.map((text) => text === 'SELECT extract');
  expect(isClock.filter(Boolean)).toHaveLength(1);
  // The first statement, and the last.
  expect([isClock[0], isClock.at(-1)]).toEqual([false, false]);
});
