import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import {
  callback,
  parseOptions,
  secretOption,
  type SecretOption,
  storeOption,
  strictOptions,
  syncCallback,
  wholeNumber,
} from '../define-options';
import { GatewayTimeoutError, toGatewayError } from '../errors';
import type { OtpGateway, OtpText, PinVerdict, TextedOtp, TypedPin } from '../gateway';
import { createKeyDeriver, createKeyedDigest, type KeyedDigest } from '../keys';
import { PLACEHOLDER } from '../protocol/message-length';
import { guardStore } from '../stores/guarded-store';
import { TEXTED_CODE_ID } from '../stores/record-sets';
import type { SmsOtpStore, TextedCode } from '../stores/store';
import { waitAtMost } from '../stores/with-timeout';

/** Further settings of a message. */
export interface SmsOptions {
  /** `messages.sender` of `createSmsOtp`. Undefined: the provider's default. */
  readonly sender: string | undefined;
}

/** Options of `smsGateway`. Unknown fields are errors. */
export interface SmsGatewayOptions {
  /**
   * Sends one message. Resolve when the provider has accepted it; the result is ignored. Called
   * once for each code. If it throws or misses its deadline, the library assumes that the message
   * may have been sent, unless the error has `mayHaveArrived: false`. Then the message is refunded
   * to its user.
   * @param to E.164 with plus. For the gateway of one of `factors`: what its `getAddress` returned.
   * @param text The message with the code in it.
   */
  sendSms(to: string, text: string, options: SmsOptions): unknown;
  /** The store for the digests of codes: the `store` of `createSmsOtp`, or another one. */
  readonly store: SmsOtpStore;
  /**
   * The `secret` of `createSmsOtp`, or another random string of at least 32 characters, the same in
   * all processes. Of a list, the first one makes digests, and all are accepted.
   */
  readonly secret: SecretOption;
  /** Digits of a code: 6 to 10. Default: 6. */
  readonly digits?: number | undefined;
  /** Milliseconds within which `sendSms` must resolve: 100 to 10,000. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  now?(): number;
}

const schema = strictOptions({
  sendSms: callback<SmsGatewayOptions['sendSms']>(),
  store: storeOption(),
  secret: secretOption(),
  digits: wholeNumber(6, 10).default(6),
  timeoutMs: wholeNumber(100, 10_000).default(10_000),
  now: syncCallback<() => number>().default(() => Date.now),
});

/** How often one code may be compared, whether right or wrong. */
const MAX_COMPARISONS = 5;

/**
 * Creates a gateway from a function that sends messages, for apps without an OTP service. The
 * gateway makes the codes and compares typed codes. The store keeps a keyed digest of id, number
 * and code, which is written before the message is sent. A code allows five comparisons and is
 * right once.
 *
 * `generate` and `validate` throw the errors of a gateway, and `StoreError` if the store fails.
 * @throws {TypeError} that names the option and never shows a value.
 */
export function smsGateway(options: SmsGatewayOptions): OtpGateway {
  const { sendSms, store, secret, digits, timeoutMs, now } = parseOptions(
    'smsGateway',
    schema,
    options,
  );
  const { textedCodes: codes } = guardStore(store, now);
  const createNewest = createDigest(secret[0]);
  const digests = [createNewest, ...secret.slice(1).map(createDigest)];

  return { generate, validate, maxCodeDigits: digits };

  async function generate(asked: OtpText): Promise<TextedOtp> {
    const { to, message, sender, validitySeconds } = asked;
    const id = randomUUID();
    const pin = String(randomInt(10 ** digits)).padStart(digits, '0');
    const digest = await createNewest(id, to, pin);
    const expiresAt = now() + validitySeconds * 1000;
    const code: TextedCode = { version: 1, otpId: id, digest, comparisons: 0, expiresAt };

    await saying(false, codes.put(code));
    await send(to, message.replace(PLACEHOLDER, pin), { sender });
    return { id, validitySeconds };
  }

  async function send(to: string, text: string, more: SmsOptions): Promise<void> {
    const sent = new Promise((resolve) => resolve(sendSms(to, text, more)));
    const toTimeout = (): Error => new GatewayTimeoutError('generate', timeoutMs, true);
    await waitAtMost(sent, timeoutMs, toTimeout, (error) => toGatewayError('generate', error));
  }

  async function validate(asked: TypedPin): Promise<PinVerdict> {
    const code = await saying(false, claimComparison(asked.id));
    if (code === null) return 'over';
    const typed = await Promise.all(digests.map((create) => create(asked.id, asked.to, asked.pin)));
    if (!isOneOf(typed, code.digest)) return 'wrong';
    // The removal succeeds for exactly one caller, however many send the code at the same time.
    return (await saying(true, codes.remove(asked.id, TEXTED_CODE_ID))) ? 'right' : 'over';
  }

  /**
   * Counts a comparison before it is made. Null: the code has expired or was used, or allows no
   * more.
   */
  async function claimComparison(id: string): Promise<TextedCode | null> {
    // If the swap fails, another request has counted a comparison or used the code. Try again.
    for (let tries = 0; tries <= MAX_COMPARISONS; tries += 1) {
      const seen = await codes.find(id, TEXTED_CODE_ID);
      if (seen === null || seen.comparisons >= MAX_COMPARISONS) return null;

      const next = { ...seen, comparisons: seen.comparisons + 1 };
      if (await codes.swap(seen, next)) return next;
    }
    return null;
  }
}

function createDigest(secret: string): KeyedDigest {
  const derive = createKeyDeriver(secret);
  return createKeyedDigest(() => derive('sms-gateway'));
}

/** Compares in constant time, whether one matches or none. */
function isOneOf(typed: readonly string[], digest: string): boolean {
  const kept = Buffer.from(digest);
  return typed.map((one) => timingSafeEqual(Buffer.from(one), kept)).includes(true);
}

/** Adds to a failure of the store whether a message may have been sent or a code used. */
async function saying<Result>(mayHaveArrived: boolean, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw Object.assign(error as Error, { mayHaveArrived });
  }
}
