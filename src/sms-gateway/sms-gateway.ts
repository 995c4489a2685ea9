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

/** What a text needs besides its number and its words. */
export interface SmsOptions {
  /** `messages.sender` of `createSmsOtp`. Undefined: the provider's own. */
  readonly sender: string | undefined;
}

/** Options of `smsGateway`. Unknown fields are errors. */
export interface SmsGatewayOptions {
  /**
   * Sends one text, and resolves when the provider has accepted it; what it resolves to is ignored.
   * It is called once for each code. What it throws, or a deadline that it misses, may have gone
   * out; an error with `mayHaveArrived: false` says that it has not, and the text is given back to
   * its user.
   * @param to E.164 with plus.
   * @param text With the code in it.
   */
  sendSms(to: string, text: string, options: SmsOptions): unknown;
  /** The `store` of `createSmsOtp`, or another one: where the codes' digests are kept. */
  readonly store: SmsOtpStore;
  /**
   * The `secret` of `createSmsOtp`, or another one: a random string of at least 32 characters, the
   * same in all processes. Of a list the first one makes digests, and all are read.
   */
  readonly secret: SecretOption;
  /** Digits of a code: 6 to 10. Default: 6. */
  readonly digits?: number | undefined;
  /** Milliseconds that `sendSms` has: 100 to 10,000. Default: 10,000. */
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

/** Comparisons that one code admits, right or wrong. */
const MAX_COMPARISONS = 5;

/**
 * Makes a gateway of a function that sends texts, for apps without an OTP service. The code is made
 * here, and typed codes are compared here: the store keeps a keyed digest of id, number and code,
 * which is written before the text is sent. A code admits five comparisons, and is right once.
 *
 * `generate` and `validate` throw the errors of a gateway, and `StoreError` when the store fails.
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
    const { mobile, message, sender, validitySeconds } = asked;
    const id = randomUUID();
    const pin = String(randomInt(10 ** digits)).padStart(digits, '0');
    const digest = await createNewest(id, mobile, pin);
    const expiresAt = now() + validitySeconds * 1000;
    const code: TextedCode = { version: 1, otpId: id, digest, comparisons: 0, expiresAt };

    await saying(false, codes.put(code));
    await send(mobile, message.replace(PLACEHOLDER, pin), { sender });
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
    const typed = await Promise.all(
      digests.map((create) => create(asked.id, asked.mobile, asked.pin)),
    );
    if (!isOneOf(typed, code.digest)) return 'wrong';
    // Gone for exactly one caller, however many have typed it at the same time.
    return (await saying(true, codes.remove(asked.id, TEXTED_CODE_ID))) ? 'right' : 'over';
  }

  /** Counts a comparison before it is made. Null: the code is over, or admits no more. */
  async function claimComparison(id: string): Promise<TextedCode | null> {
    // Where nothing is swapped, another request has counted a comparison or has ended the code.
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

/** Takes the same time whichever it is, and if it is none. */
function isOneOf(typed: readonly string[], digest: string): boolean {
  const kept = Buffer.from(digest);
  return typed.map((one) => timingSafeEqual(Buffer.from(one), kept)).includes(true);
}

/** A failure of the store says whether a text may be out by now, or a code may be used up. */
async function saying<Result>(mayHaveArrived: boolean, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw Object.assign(error as Error, { mayHaveArrived });
  }
}
