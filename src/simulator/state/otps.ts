import { createHmac, timingSafeEqual } from 'node:crypto';
import { toDigits } from '../../protocol/mobile';
import type { SimulatorSettings } from '../options';
import { BoundedMap } from '../../bounded-map';

export type TotpHash = 'sha1' | 'sha256' | 'sha512';

/** HOTP: computes a code of decimal digits from a key and a counter. RFC 4226 section 5.3. */
export function hotp(
  key: Buffer,
  counter: bigint,
  digits: number,
  hash: TotpHash = 'sha1',
): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(counter);
  const digest = createHmac(hash, key).update(message).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const binary = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(binary % 10 ** digits).padStart(digits, '0');
}

/** The parameters of a time-based code. RFC 6238 section 4.1. */
export interface TotpParameters {
  readonly key: Buffer;
  readonly digits: number;
  /** T0: when the steps begin, in seconds since 1970. */
  readonly startSeconds: number;
  /** X: the length of a step in seconds. */
  readonly stepSeconds: number;
  readonly hash?: TotpHash;
}

/** Returns the number of the time step of a moment. RFC 6238 section 4.2. */
export function timeStep(parameters: TotpParameters, atSeconds: number): bigint {
  return BigInt(Math.floor((atSeconds - parameters.startSeconds) / parameters.stepSeconds));
}

/** TOTP: HOTP over the number of the time step. RFC 6238 section 4.2. */
export function totp(parameters: TotpParameters, atSeconds: number): string {
  return hotp(parameters.key, timeStep(parameters, atSeconds), parameters.digits, parameters.hash);
}

/**
 * The data with which the gateway checks a pin: the pin itself in A, the key and the step of a
 * time-based code in B.
 */
type PinSecret = string | TotpParameters;

/** When a pin was sent and how long it is valid. */
interface PinLifetime {
  readonly sentAtMs: number;
  readonly validitySeconds: number;
}

/** An OTP. Its states have the names of the error codes: expired and consumed. OTP spec §3. */
export interface Otp extends PinLifetime {
  readonly id: string;
  /** The number in digits, without plus. */
  readonly mobile: string;
  readonly secret: PinSecret;
  isConsumed: boolean;
  wrongPins: number;
}

/** The number of newest OTPs that are kept at least. */
const MAX_OTPS = 50_000;

/**
 * How often a pin is drawn until its first digit is the required one. That never fails in practice.
 */
const MAX_DRAWS = 1_000;

/**
 * The OTPs of the gateway. Pins are random in A, and follow RFC 6238 with a key per OTP in B. OTP
 * spec §1.
 */
export class OtpStore {
  readonly #otps = new BoundedMap<string, Otp>(MAX_OTPS);
  readonly #newestByMobile = new BoundedMap<string, string>(MAX_OTPS);
  readonly #fixedPins: ReadonlyMap<string | null, string>;
  #nextNumber: bigint;

  constructor(private readonly options: SimulatorSettings) {
    this.#fixedPins = new Map(
      Object.entries(options.fixedPins).map(([mobile, pin]) => [toDigits(mobile), pin]),
    );

    const start = BigInt(1_000_000_000 + options.randomness.integer(1_000_000_000));
    // Use odd numbers: 2^53 + 1 is the first whole number that a JSON parser with doubles rounds.
    this.#nextNumber = {
      safe: start,
      'beyond-safe': 9_007_199_254_740_993n + 2n * start,
      '20-digits': 10_000_000_000_000_000_001n + 2n * start,
    }[options.readings.idSize];
  }

  get(id: string): Otp | undefined {
    return this.#otps.get(id);
  }

  /** Adds an OTP with a new pin for a number in digits without plus. */
  add(mobile: string, lifetime: PinLifetime): Otp {
    const secret = this.#makeSecret(mobile, lifetime);
    const otp: Otp = {
      id: this.#newId(),
      mobile,
      ...lifetime,
      secret,
      isConsumed: false,
      wrongPins: 0,
    };

    const earlier = this.#newestByMobile.get(mobile);
    if (this.options.readings.newPinEndsOld && earlier !== undefined) this.#otps.delete(earlier);

    this.#otps.set(otp.id, otp);
    this.#newestByMobile.set(mobile, otp.id);
    return otp;
  }

  #newId(): string {
    const { variant, readings, randomness } = this.options;
    if (variant === 'B') {
      this.#nextNumber += 2n;
      return String(this.#nextNumber).padStart(readings.idAs === 'padded' ? 20 : 0, '0');
    }
    const hex = randomness.bytes(12).toString('hex');
    return readings.idAlphabet === 'hex' ? hex : `${hex}/../a b%2F?c=d&e#f+"é;:@`;
  }

  #makeSecret(mobile: string, lifetime: PinLifetime): PinSecret {
    const fixed = this.#fixedPins.get(mobile);
    if (fixed !== undefined) return fixed;

    const { firstPinDigit } = this.options.readings;
    for (let draw = 1; ; draw += 1) {
      const secret = this.#drawSecret(lifetime);
      if (draw === MAX_DRAWS || firstPinDigit === 'any') return secret;
      if (readPin(secret).startsWith('0') === (firstPinDigit === 'zero')) return secret;
    }
  }

  /**
   * Returns a new secret. RFC 6238 leaves T0 and X open: here one step is the pin's whole validity
   * and begins when the pin is sent.
   */
  #drawSecret(lifetime: PinLifetime): PinSecret {
    const { variant, randomness, pinDigits: digits } = this.options;
    if (variant === 'A') return String(randomness.integer(10 ** digits)).padStart(digits, '0');

    const startSeconds = Math.floor(lifetime.sentAtMs / 1000);
    const stepSeconds = lifetime.validitySeconds;
    return { key: randomness.bytes(20), digits, startSeconds, stepSeconds };
  }
}

/** Returns the pin for the message. */
export function readPin(secret: PinSecret): string {
  return typeof secret === 'string' ? secret : totp(secret, secret.startSeconds);
}

/** Compares two pins in a time that does not depend on where they differ. */
export function isSamePin(secret: PinSecret, pin: string): boolean {
  const expected = Buffer.from(readPin(secret));
  const given = Buffer.from(pin);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
