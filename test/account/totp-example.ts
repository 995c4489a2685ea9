import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Factor } from 'passport-sms-otp';

const STEP_SECONDS = 30;
const DIGITS = 6;

/** Where the app keeps the secrets of authenticator apps, encrypted at rest. */
export interface TotpBook {
  /** The user's secret, at least 20 random bytes; null when the user has no authenticator app. */
  findSecret(userId: string): Promise<Buffer | null>;
  /**
   * Atomic: keeps `step` as the user's last one if it is above the last one kept, and says whether it did. In SQL:
   * `UPDATE totp SET last_step = $2 WHERE user_id = $1 AND last_step < $2`, true when a row was changed.
   */
  acceptStep(userId: string, step: number): Promise<boolean>;
}

/** The code of one step. RFC 4226 section 5.3 with the counter of RFC 6238. */
export function totpCode(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

/** The factor: `createSmsOtp({ factors: [totpFactor(book)] })`, then `smsOtp.verifyWith('totp')`. */
export function totpFactor(book: TotpBook, now: () => number = Date.now): Factor {
  return {
    name: 'totp',
    amr: 'otp',
    async check({ userId, code }) {
      const typed = code.replaceAll(' ', '');
      const secret = await book.findSecret(userId);
      if (secret === null || !/^[0-9]{6}$/.test(typed)) return false;
      const current = Math.floor(now() / 1000 / STEP_SECONDS);
      // One step to each side, for clocks that are a little off. RFC 6238 section 5.2.
      const step = [current, current - 1, current + 1].find((one) => isSame(totpCode(secret, one), typed));
      // A code is good once: its step and all before it are used up.
      return step !== undefined && book.acceptStep(userId, step);
    },
  };
}

/** A new secret, and the link an authenticator app reads as a QR code. Show it once, behind a fresh second factor. */
export function createTotpSecret(appName: string, userName: string): { secret: Buffer; link: string } {
  const secret = randomBytes(20);
  const label = `${encodeURIComponent(appName)}:${encodeURIComponent(userName)}`;
  const query = `secret=${toBase32(secret)}&issuer=${encodeURIComponent(appName)}`;
  return { secret, link: `otpauth://totp/${label}?${query}` };
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** RFC 4648 without padding: 20 bytes are 32 letters. */
function toBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(parseInt(five, 2)));
}
