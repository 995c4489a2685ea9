import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Randomness } from 'passport-sms-otp/simulator';
import { startLoggedIn, VARIANTS } from './gateway';

/** RFC 4226 appendix D: this key and the counter 0 give 755224. */
const RFC_KEY = '12345678901234567890';

const fixed: Randomness = {
  bytes: (size) => Buffer.from(RFC_KEY.repeat(2).slice(0, size)),
  integer: (below) => Math.min(42, below - 1),
};

describe('pins', () => {
  it('of B are the time-based code of a key of their own, in the step that begins when they are sent', async () => {
    const gateway = await startLoggedIn({
      variant: 'B',
      randomness: fixed,
      now: () => 1_700_000_000_500,
    });
    const { id, pin } = await gateway.send();
    expect(pin).toBe('755224');
    gateway.sim.advanceSeconds(599);
    expect((await gateway.validate(id, pin)).status).toBe(200);
  });

  it('of A are drawn from the generator and keep their leading zeros', async () => {
    const gateway = await startLoggedIn({ variant: 'A', randomness: fixed });
    expect((await gateway.send()).pin).toBe('000042');
  });

  it.each(VARIANTS)('of %s have 4 to 10 digits and differ', async (variant) => {
    for (const pinDigits of [4, 7, 10]) {
      const gateway = await startLoggedIn({ variant, pinDigits });
      const pins: string[] = [];
      for (let round = 0; round < 30; round += 1) pins.push((await gateway.send()).pin);
      expect(pins.every((pin) => new RegExp(`^[0-9]{${pinDigits}}$`).test(pin))).toBe(true);
      expect(new Set(pins).size).toBeGreaterThan(20);
    }
  });

  it('come to an end when the generator never draws the digit that is asked for', async () => {
    const gateway = await startLoggedIn({
      variant: 'A',
      readings: { firstPinDigit: 'not-zero' },
      randomness: { ...fixed, integer: (below) => randomInt(Math.min(below, 9)) },
    });
    expect((await gateway.send()).pin).toMatch(/^0{5}[0-9]$/);
  });
});
