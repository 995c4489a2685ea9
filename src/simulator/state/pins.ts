import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Variant } from '../../protocol/paths';
import type { Readings } from '../readings';
import type { Randomness } from './clock';

export type TotpHash = 'sha1' | 'sha256' | 'sha512';

/** HOTP: computes a code of decimal digits from a key and a counter. RFC 4226 section 5.3. */
export function hotp(key: Buffer, counter: bigint, digits: number, hash: TotpHash = 'sha1'): string {
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
  /** T0: seconds since 1970 at which the steps begin. */
  readonly startSeconds: number;
  /** X: seconds of one step. */
  readonly stepSeconds: number;
  readonly hash?: TotpHash;
}

/** Returns the number of the time step that holds a moment. RFC 6238 section 4.2. */
export function timeStep({ startSeconds, stepSeconds }: TotpParameters, atSeconds: number): bigint {
  return BigInt(Math.floor((atSeconds - startSeconds) / stepSeconds));
}

/** TOTP: HOTP over the number of the time step. RFC 6238 section 4.2. */
export function totp(parameters: TotpParameters, atSeconds: number): string {
  return hotp(parameters.key, timeStep(parameters, atSeconds), parameters.digits, parameters.hash);
}

/** A pin is drawn again until its first digit is the required one; this many draws never fail in practice. */
const MAX_DRAWS = 1_000;

/** What the gateway keeps to check a pin: the pin itself in A, the key and the step of a time-based code in B. */
export type PinSecret =
  | { readonly kind: 'stored'; readonly pin: string }
  | { readonly kind: 'time-based'; readonly parameters: TotpParameters };

/** When a pin was sent and how long it is valid. */
export interface PinLifetime {
  readonly sentAtMs: number;
  readonly validitySeconds: number;
}

/** Generates pins: random in A, by RFC 6238 with a key per OTP in B. OTP spec §1. */
export class PinGenerator {
  constructor(
    private readonly variant: Variant,
    readonly digits: number,
    private readonly fixedPins: ReadonlyMap<string, string>,
    private readonly firstDigit: Readings['firstPinDigit'],
    private readonly randomness: Randomness,
  ) {}

  make(mobileDigits: string, lifetime: PinLifetime): PinSecret {
    const fixed = this.fixedPins.get(mobileDigits);
    if (fixed !== undefined) return { kind: 'stored', pin: fixed };
    for (let draw = 1; ; draw += 1) {
      const secret = this.variant === 'A' ? this.#drawStored() : this.#drawTimeBased(lifetime);
      if (draw === MAX_DRAWS || this.#hasFirstDigit(readPin(secret))) return secret;
    }
  }

  #drawStored(): PinSecret {
    const pin = String(this.randomness.integer(10 ** this.digits)).padStart(this.digits, '0');
    return { kind: 'stored', pin };
  }

  /** RFC 6238 leaves T0 and X open: here one step is the pin's whole lifetime, and it begins when the pin is sent. */
  #drawTimeBased({ sentAtMs, validitySeconds }: PinLifetime): PinSecret {
    const parameters: TotpParameters = {
      key: this.randomness.bytes(20),
      digits: this.digits,
      startSeconds: Math.floor(sentAtMs / 1000),
      stepSeconds: validitySeconds,
    };
    return { kind: 'time-based', parameters };
  }

  #hasFirstDigit(pin: string): boolean {
    return this.firstDigit === 'any' || pin.startsWith('0') === (this.firstDigit === 'zero');
  }
}

/** Returns the pin that goes into the text message. */
export function readPin(secret: PinSecret): string {
  return secret.kind === 'stored' ? secret.pin : totp(secret.parameters, secret.parameters.startSeconds);
}

/** Compares two pins in a time that does not depend on where they differ. */
export function isSamePin(secret: PinSecret, pin: string): boolean {
  const expected = Buffer.from(readPin(secret));
  const given = Buffer.from(pin);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
