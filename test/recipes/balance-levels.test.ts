import { describe, expect, it } from '@jest/globals';
import {
  assessBalance,
  type BalanceEvent,
  type BalanceLevels,
  type BalanceState,
} from '../../docs/recipes/balance-watch';
import { toDecimal, toMicros } from '../../src/policies/spend-limits/micros';

const HOUR_MS = 3_600_000;
const LEVELS: BalanceLevels = {
  warnBelow: 20_000_000,
  criticalBelow: 5_000_000,
  unexplained: 1_000_000,
};

/** A look as [hours since the one before, balance, all that was spent]. */
type Look = readonly [hours: number, balance: string, spent: string];

/** What is told at each look. */
function watch(looks: readonly Look[], levels: BalanceLevels = LEVELS): string[] {
  let state: BalanceState | null = null;
  let at = 0;
  return looks.map(([hours, balance, spent]) => {
    at += hours * HOUR_MS;
    const reading = { at, balance: toMicros(balance) ?? NaN, spent: toMicros(spent) ?? NaN };
    const assessed = assessBalance(levels, state, reading);
    state = assessed.state;
    return assessed.events.map(show).join(', ');
  });
}

function show(event: BalanceEvent): string {
  if (event.type === 'balance-low') return `${event.level} at ${event.balance}`;
  if (event.type === 'balance-recovered') return `recovered at ${event.balance}`;
  return `${event.spent} instead of ${event.explained}`;
}

describe('a balance', () => {
  it('is reported once when it passes a level', () => {
    expect(
      watch([
        [0, '100', '0'],
        [99, '20', '80'],
        [99, '19.9999', '80.0001'],
        [99, '19', '81'],
        [99, '4.9', '95.1'],
        [99, '4', '96'],
      ]),
    ).toEqual(['', '', 'warning at 19.9999', '', 'critical at 4.9000', '']);
  });

  it('is reported at the first check, and when it passes both levels at once', () => {
    expect(watch([[0, '4', '0']])).toEqual(['critical at 4.0000']);
    expect(
      watch([
        [0, '100', '0'],
        [900, '-3', '103'],
      ]),
    ).toEqual(['', 'critical at -3.0000']);
  });

  it('recovers a tenth above the level', () => {
    expect(
      watch([
        [0, '4', '0'],
        [1, '5.4999', '0'],
        [1, '5.5', '0'],
        [1, '21.9999', '0'],
        [1, '22', '0'],
        [1, '21.9', '0'],
      ]),
    ).toEqual(['critical at 4.0000', '', 'warning at 5.5000', '', 'recovered at 22.0000', '']);
  });

  it('is little when a day at the present rate costs more', () => {
    const levels = { ...LEVELS, warnBelow: 0, criticalBelow: 0 };
    expect(
      watch(
        [
          [0, '100', '0'],
          // Ten an hour: half of it counts after one hour.
          [1, '90', '10'],
          [1, '80', '20'],
          [1, '70', '30'],
          [1, '60', '40'],
          [1, '30', '70'],
          // Nothing is spent for long: the rate goes down.
          [99, '30', '70'],
        ],
        levels,
      ),
    ).toEqual([
      '',
      'warning at 90.0000',
      '',
      '',
      '',
      'critical at 30.0000',
      'recovered at 30.0000',
    ]);
  });

  it('is as before when the clock stands still or goes back', () => {
    expect(
      watch([
        [0, '100', '0'],
        [0, '90', '10'],
        [-1, '80', '20'],
      ]),
    ).toEqual(['', '', '']);
  });
});

describe('spend', () => {
  it('that is explained is not reported', () => {
    expect(
      watch([
        [0, '1000', '7'],
        [9, '970', '37'],
        [9, '960', '48'],
      ]),
    ).toEqual(['', '', '']);
  });

  it('that is unexplained is reported once, when it exceeds the option', () => {
    expect(
      watch([
        [0, '100', '0'],
        [9, '98', '1'],
        [9, '97.9999', '1'],
        [9, '96', '2'],
        [9, '90', '8'],
      ]),
    ).toEqual(['', '', '1.0001 instead of 0.0000', '', '']);
  });

  it('that is explained a moment later is not reported', () => {
    const looks = Array.from({ length: 20 }, (_, index): Look => {
      const spent = index * 2;
      // One message that is paid and not counted yet, at every other look.
      return [1, toDecimal((100 - spent - (index % 2)) * 1_000_000), String(spent)];
    });
    const told = watch(looks, { ...LEVELS, warnBelow: 0, criticalBelow: 0 });
    expect(told).toHaveLength(looks.length);
    expect(told.join('')).not.toContain('instead');
  });

  it('is not reported when a top-up hides it, nor after the store was emptied', () => {
    expect(
      watch([
        [0, '100', '10'],
        [9, '150', '20'],
        [9, '140', '30'],
        [9, '130', '0'],
        [9, '120', '10'],
      ]),
    ).toEqual(['', '', '', '', '']);
  });

  it('is not reported unless the app sets an amount', () => {
    expect(
      watch(
        [
          [0, '1000', '0'],
          [9, '950', '0'],
        ],
        { ...LEVELS, unexplained: null },
      ),
    ).toEqual(['', '']);
  });
});
