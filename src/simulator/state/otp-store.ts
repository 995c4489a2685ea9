import type { Variant } from '../../protocol/paths';
import type { Readings } from '../readings';
import { BoundedMap } from './bounded-map';
import type { Randomness } from './clock';
import type { PinLife, PinSecret } from './pins';

/** The newest OTPs that are kept for certain. */
const MAX_OTPS = 50_000;

/** One OTP. Its states are named by the error codes: expired and consumed. OTP spec §3. */
export interface Otp extends PinLife {
  readonly id: string;
  /** Digits without plus. */
  readonly mobile: string;
  readonly secret: PinSecret;
  isConsumed: boolean;
  wrongPins: number;
}

/** The OTPs the gateway knows. */
export class OtpBook {
  readonly #otps = new BoundedMap<string, Otp>(MAX_OTPS);
  readonly #newestByMobile = new BoundedMap<string, string>(MAX_OTPS);
  #nextNumber: bigint;

  constructor(
    private readonly variant: Variant,
    private readonly readings: Readings,
    private readonly randomness: Randomness,
  ) {
    const start = BigInt(1_000_000_000 + randomness.integer(1_000_000_000));
    // 2^53 + 1 is the first whole number that a JSON parser of doubles rounds.
    this.#nextNumber = readings.idSize === 'safe' ? start : 9_007_199_254_740_993n + 2n * start;
  }

  get(id: string): Otp | undefined {
    return this.#otps.get(id);
  }

  add(mobile: string, life: PinLife, secret: PinSecret): Otp {
    const otp: Otp = { id: this.#newId(), mobile, ...life, secret, isConsumed: false, wrongPins: 0 };
    const earlier = this.#newestByMobile.get(mobile);
    if (this.readings.newPinEndsOld && earlier !== undefined) this.#otps.delete(earlier);
    this.#otps.set(otp.id, otp);
    this.#newestByMobile.set(mobile, otp.id);
    return otp;
  }

  #newId(): string {
    if (this.variant === 'B') {
      this.#nextNumber += 2n;
      return String(this.#nextNumber);
    }
    const hex = this.randomness.bytes(12).toString('hex');
    return this.readings.idAlphabet === 'hex' ? hex : `${hex}/../a b%2F?c=d&e#f+"é;:@`;
  }
}
