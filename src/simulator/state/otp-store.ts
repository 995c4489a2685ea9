import type { Variant } from '../../protocol/paths';
import type { Readings } from '../readings';
import { BoundedMap } from './bounded-map';
import type { Randomness } from './clock';
import type { PinLifetime, PinSecret } from './pins';

/** At least this many of the newest OTPs are kept. */
const MAX_OTPS = 50_000;

/** One OTP. Its states are named by the error codes: expired and consumed. OTP spec §3. */
export interface Otp extends PinLifetime {
  readonly id: string;
  /** Digits without plus. */
  readonly mobile: string;
  readonly secret: PinSecret;
  isConsumed: boolean;
  wrongPins: number;
}

/** The OTPs the gateway knows. */
export class OtpStore {
  readonly #otps = new BoundedMap<string, Otp>(MAX_OTPS);
  readonly #newestByMobile = new BoundedMap<string, string>(MAX_OTPS);
  #nextNumber: bigint;

  constructor(
    private readonly variant: Variant,
    private readonly readings: Readings,
    private readonly randomness: Randomness,
  ) {
    const start = BigInt(1_000_000_000 + randomness.integer(1_000_000_000));
    // Odd numbers: 2^53 + 1 is the first whole number that a JSON parser of doubles rounds.
    this.#nextNumber = {
      safe: start,
      'beyond-safe': 9_007_199_254_740_993n + 2n * start,
      '20-digits': 10_000_000_000_000_000_001n + 2n * start,
    }[readings.idSize];
  }

  get(id: string): Otp | undefined {
    return this.#otps.get(id);
  }

  add(mobile: string, lifetime: PinLifetime, secret: PinSecret): Otp {
    const otp: Otp = { id: this.#newId(), mobile, ...lifetime, secret, isConsumed: false, wrongPins: 0 };
    const earlier = this.#newestByMobile.get(mobile);
    if (this.readings.newPinEndsOld && earlier !== undefined) this.#otps.delete(earlier);
    this.#otps.set(otp.id, otp);
    this.#newestByMobile.set(mobile, otp.id);
    return otp;
  }

  #newId(): string {
    if (this.variant === 'B') {
      this.#nextNumber += 2n;
      return String(this.#nextNumber).padStart(this.readings.idAs === 'padded' ? 20 : 0, '0');
    }
    const hex = this.randomness.bytes(12).toString('hex');
    return this.readings.idAlphabet === 'hex' ? hex : `${hex}/../a b%2F?c=d&e#f+"é;:@`;
  }
}
