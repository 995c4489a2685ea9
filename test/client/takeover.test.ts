import { describe, expect, it } from '@jest/globals';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import { GatewayEmitter } from '../../src/client/events';
import { TokenContention } from '../../src/client/back-off';
import { testClock } from '../support/clock';
import { errorOf, ofType, startClient, startSimulator, type Gateway } from './support/gateway';

type Rival = Omit<Gateway, 'simulator'>;

/**
 * Two clients of variant B that share nothing, so that each login throws the other out, up to where
 * both notice.
 */
async function fight(): Promise<{ simulator: GatewaySimulator; one: Rival; other: Rival }> {
  const simulator = await startSimulator({ variant: 'B' });
  const [one, other] = [startClient(simulator), startClient(simulator)];
  for (let round = 0; round < 3; round += 1) {
    await one.client.otp.balance();
    await other.client.otp.balance();
  }
  return { simulator, one, other };
}

describe('two clients of variant B that share nothing', () => {
  it('are told, and a call that cannot wait is refused without another authentication', async () => {
    const { simulator, one } = await fight();
    const before = simulator.stats().calls.auth;
    // A lookup has two seconds, the wait is at least five.
    const errors = await Promise.all(
      [1, 2].map(() => errorOf(one.client.hlr.lookup('+12025550123'))),
    );
    for (const error of errors) {
      expect(error).toMatchObject({
        code: 'ERR_GATEWAY_BUSY',
        message:
          'The call to the OTP gateway was refused: another client keeps replacing the token',
      });
    }
    expect(simulator.stats().calls.auth).toBe(before);
    expect(ofType(one.events, 'token-taken-over')).toHaveLength(1);
  });

  it('still work: a call that can wait does', async () => {
    const { simulator, one } = await fight();
    const before = simulator.stats().calls.auth;
    // Of the five seconds at least, four have passed.
    one.clock.advanceSeconds(4);
    const startedAt = performance.now();
    await one.client.otp.generate({ mobile: '+12025550123' });
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(simulator.stats()).toMatchObject({ sent: 1, calls: { auth: before + 2 } });
  });
});

describe('the watch', () => {
  const start = (
    random: number,
  ): { watch: TokenContention; clock: ReturnType<typeof testClock> } => {
    const clock = testClock();
    return {
      clock,
      watch: new TokenContention(
        () => clock.now(),
        () => random,
        new GatewayEmitter(undefined),
      ),
    };
  };

  it('says nothing of two rejections, or of three in more than a minute', () => {
    const { watch, clock } = start(0);
    for (let minute = 0; minute < 5; minute += 1) {
      watch.noteAuthentication();
      watch.noteRejection();
      expect(watch.waitMs).toBe(0);
      clock.advanceSeconds(30);
    }
  });

  it.each([
    [0, 5_000],
    [1, 7_500],
  ])(
    'keeps authentications apart by 5 s and up to half as much by chance (%d)',
    (random, waitMs) => {
      const { watch, clock } = start(random);
      watch.noteAuthentication();
      for (let count = 0; count < 3; count += 1) watch.noteRejection();
      expect(watch.waitMs).toBe(waitMs);
      clock.advanceSeconds(4);
      expect(watch.waitMs).toBe(waitMs - 4_000);
      clock.advanceSeconds(60);
      expect(watch.waitMs).toBe(0);
    },
  );
});
