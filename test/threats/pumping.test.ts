import { afterEach, describe, expect, it } from '@jest/globals';
import type { Policy } from 'passport-sms-otp';
import { conversionBreaker, numberTypes, prefixVelocity } from 'passport-sms-otp/policies';
import { numberOf, repeat, startTraffic, type Traffic, type Try } from '../policies/traffic';
import { isCompleteRun, VARIANTS_OF_LONG_RUNS } from '../support/complete-run';

/**
 * The fraudster's share of the fees: three blocks of one operator, where nobody reads a text
 * message.
 */
const PUMPED = ['+3370001', '+3370002', '+3370003'];
/** A subscriber of long standing in the middle of them, and one elsewhere. */
const NEIGHBOUR = numberOf('+3370002', 9_999);
const REGULAR = '+33612345678';

const guards = {
  velocity: () => [numberTypes(), prefixVelocity({ mode: 'enforce' })],
  conversion: () => [numberTypes(), conversionBreaker({ mode: 'enforce' })],
  both: () => [
    numberTypes(),
    prefixVelocity({ mode: 'enforce' }),
    conversionBreaker({ mode: 'enforce' }),
  ],
} satisfies Record<string, () => Policy[]>;

let traffic: Traffic;
let next: number;
/** Whose turn it is among two people who share a number. */
let turn = 0;

/**
 * Our own limits are as wide as they go (`WIDE_LIMITS`), because they would be the first to stop
 * it: 12 text messages an hour to numbers of one prefix that were never verified.
 */
async function start(
  variant: 'A' | 'B',
  policies: readonly Policy[],
  options: object = {},
): Promise<void> {
  traffic = await startTraffic(policies, options, { variant });
  next = 0;
  for (const who of [0, 1]) {
    await traffic.answer(NEIGHBOUR, `neighbour-${who}`);
    await traffic.answer(REGULAR, `regular-${who}`);
    traffic.minutes(24 * 60);
  }
}
afterEach(() => traffic.test.close());

/** One text message to each block, each to a new number for a new account from a new address. */
function pump(): Promise<Try[]> {
  next += 1;
  return Promise.all(PUMPED.map((prefix) => traffic.login(numberOf(prefix, next))));
}

/** What came through to each block. The neighbour's own are left out. */
function pumped(): number[] {
  const toNeighbour = traffic.test.sim.outbox.filter(({ mobile }) => mobile === NEIGHBOUR).length;
  return PUMPED.map(
    (prefix) => traffic.sentTo(prefix) - (NEIGHBOUR.startsWith(prefix) ? toNeighbour : 0),
  );
}

/**
 * People who log in whatever else is going on: verified numbers, and new ones in France and in
 * Germany. Two people share each verified number and take turns: a user has 40 messages a day.
 */
async function liveOn(): Promise<boolean[]> {
  next += 1;
  turn = 1 - turn;
  const logins = await Promise.all([
    traffic.answer(NEIGHBOUR, `neighbour-${turn}`),
    traffic.answer(REGULAR, `regular-${turn}`),
    traffic.answer(numberOf('+3364444', next)),
    traffic.answer(numberOf('+4915123', next).padEnd(14, '0')),
  ]);
  return logins.map(({ isSent }) => isSent);
}
const hours = isCompleteRun ? ['eight'] : ['eight', 'three'];
const EVERYBODY = [true, true, true, true];

describe.each(VARIANTS_OF_LONG_RUNS)(
  'a pumping run against three prefixes, variant %s',
  (variant) => {
    // The breaker ends its blocks by itself and stops the run again: three times in eight hours, and
    // once in the three that each policy alone is tried for outside the complete run.
    describe.each([
      ['velocity', 15],
      ['conversion', 60],
      ['both', 15],
    ] as const)(`spread over ${hours.join(' or ')} hours, by %s`, (name, inAll) => {
      const rounds = name === 'both' || isCompleteRun ? 96 : 36;
      it('is stopped within 20 text messages each, while ordinary logins go on', async () => {
        await start(variant, guards[name]());
        const lives: boolean[][] = [];
        const stoppedAfter = PUMPED.map(() => Infinity);
        for (let round = 0; round < rounds; round += 1) {
          const tries = await pump();
          const sent = pumped();
          tries.forEach(({ isSent }, block) => {
            if (!isSent)
              stoppedAfter[block] = Math.min(Number(stoppedAfter[block]), Number(sent[block]));
          });
          if (round % 2 === 0) lives.push(await liveOn());
          traffic.minutes(5);
        }
        expect(lives).toEqual(Array(rounds / 2).fill(EVERYBODY));
        for (const sent of stoppedAfter) expect(sent).toBeLessThanOrEqual(20);
        for (const sent of pumped()) expect(sent).toBeLessThanOrEqual(inAll);
      });
    });

    it('sent all at once is stopped within 20 text messages each, while ordinary logins go on', async () => {
      await start(variant, guards.both());
      const runs = Promise.all(Array.from({ length: 40 }, pump));
      expect(await liveOn()).toEqual(EVERYBODY);
      await runs;
      expect(pumped()).toEqual([15, 15, 15]);
      traffic.minutes(1);
      expect(await liveOn()).toEqual(EVERYBODY);
      traffic.minutes(13);
      expect(await liveOn()).toEqual(EVERYBODY);
    });

    it('is over by itself a day later, for everybody', async () => {
      await start(variant, guards.both());
      await repeat(20, pump);
      const tried = await traffic.login(numberOf('+3370001', 5_000));
      expect([tried.response.status, tried.response.body]).toEqual([
        429,
        { error: 'send-limit', retryAfterSeconds: expect.any(Number) },
      ]);
      traffic.minutes(24 * 60);
      await repeat(5, (index) =>
        Promise.all(PUMPED.map((prefix) => traffic.answer(numberOf(prefix, 6_000 + index)))),
      );
    });

    it('meets our own limits first, when nothing at all is configured', async () => {
      await start(variant, [], { limits: {} });
      const runs = Promise.all(Array.from({ length: 30 }, pump));
      expect(await liveOn()).toEqual(EVERYBODY);
      await runs;
      for (const sent of pumped()) expect(sent).toBeLessThanOrEqual(12);
    });

    it('meets them too beside the policies, spread over eight hours', async () => {
      await start(variant, guards.both(), { limits: {} });
      await repeat(96, async () => {
        await pump();
        traffic.minutes(5);
      });
      expect(await liveOn()).toEqual(EVERYBODY);
      expect(pumped()).toEqual([15, 15, 15]);
    });
  },
);
