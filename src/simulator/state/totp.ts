import { createHmac } from 'node:crypto';

export type TotpHash = 'sha1' | 'sha256' | 'sha512';

/** HOTP: a counter and a key give a code of decimal digits. RFC 4226 section 5.3. */
export function hotp(key: Buffer, counter: bigint, digits: number, hash: TotpHash = 'sha1'): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(counter);
  const digest = createHmac(hash, key).update(message).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const binary = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(binary % 10 ** digits).padStart(digits, '0');
}

/** What both ends of a time-based code agree on. RFC 6238 section 4.1. */
export interface TotpParameters {
  readonly key: Buffer;
  readonly digits: number;
  /** T0: seconds since 1970 at which the steps begin. */
  readonly startSeconds: number;
  /** X: seconds of one step. */
  readonly stepSeconds: number;
  readonly hash?: TotpHash;
}

/** The number of the time step a moment lies in. RFC 6238 section 4.2. */
export function timeStep({ startSeconds, stepSeconds }: TotpParameters, atSeconds: number): bigint {
  return BigInt(Math.floor((atSeconds - startSeconds) / stepSeconds));
}

/** TOTP: HOTP over the number of the time step. RFC 6238 section 4.2. */
export function totp(parameters: TotpParameters, atSeconds: number): string {
  return hotp(parameters.key, timeStep(parameters, atSeconds), parameters.digits, parameters.hash);
}
