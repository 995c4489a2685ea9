import { type Policy } from 'passport-sms-otp';
import { type NumberLookups, simSwap } from 'passport-sms-otp/policies';
import { hlrSimSwap, type HlrSimSwapOptions } from '../../../docs/recipes/hlr-sim-swap';
import type { LookupSetup } from '../../policies/lookups/lookup-setup';

export const KEY = 'a secret of the test, 32 bytes long';
export const HOUR = 3_600;
export const DAY = 86_400;

/** Somebody who logs in now and then with one number. */
export interface SimWalk {
  readonly policy: Policy<unknown>;
  readonly lookups: NumberLookups;
  /** Asks for a text: `allow`, `deny`, or `hint` when it was allowed and told. */
  readonly ask: (mobile?: string) => Promise<string>;
  /** Enters a right code. */
  readonly enter: (mobile?: string, purpose?: 'login' | 'enroll') => Promise<void>;
  /** A whole login after so many seconds. */
  readonly login: (seconds: number, mobile?: string) => Promise<string>;
  /** Logs in until the number can be compared: three times in a day. */
  readonly learn: (mobile?: string) => Promise<void>;
  /** Sets the identity that the gateway returns. */
  readonly setSim: (imsi: string, mobile?: string) => void;
}

export function walk(setup: LookupSetup, options: Partial<HlrSimSwapOptions> = {}): SimWalk {
  const provider = hlrSimSwap({ key: KEY, lookups: { maxPerUserPerDay: 1_000 }, ...options });
  const policy = simSwap({ provider, mode: 'enforce' });
  const number = (mobile?: string): { mobile?: string } => (mobile === undefined ? {} : { mobile });

  async function ask(mobile?: string): Promise<string> {
    const before = setup.events.length;
    const answer = await policy.check(
      setup.context({ stage: 'send', purpose: 'login', ...number(mobile) }),
    );
    if (answer !== 'allow') return 'deny';
    return setup.events.length > before ? 'hint' : 'allow';
  }

  async function enter(mobile?: string, purpose: 'login' | 'enroll' = 'login'): Promise<void> {
    await policy.verified?.(setup.verified({ purpose, ...number(mobile) }));
  }

  async function login(seconds: number, mobile?: string): Promise<string> {
    setup.clock.advanceSeconds(seconds);
    const answer = await ask(mobile);
    if (answer !== 'deny') await enter(mobile);
    return answer;
  }

  async function learn(mobile?: string): Promise<void> {
    for (const seconds of [0, 12 * HOUR, 12 * HOUR]) await login(seconds, mobile);
  }

  function setSim(imsi: string, mobile = setup.context().mobile): void {
    setup.sim.subscribers.set(mobile, { imsi });
  }

  return { policy, lookups: provider.lookups, ask, enter, login, learn, setSim };
}
