import { z } from 'zod';
import { isSender, measureTemplate } from './message-length';
import type { Variant } from './paths';
import {
  orNull,
  type ReadValue,
  readDecimal,
  readDigitsOrText,
  readMobile,
  readOrNull,
  readText,
  readWholeNumber,
  requestMobile,
  required,
  strictInput,
} from './values';

/** The default validity of a pin in seconds. OTP spec §4, §8. */
export const DEFAULT_VALIDITY_SECONDS = 600;

/** The range that variant A enforces with error 2110. OTP spec §8. The range of B is not shown. */
export const VALIDITY_RANGE_SECONDS = { min: 120, max: 1800 } as const;

/** The default sender and message of the gateway. OTP spec §4. */
export const DEFAULT_SENDER = 'SECUREPIN';
export const DEFAULT_MESSAGE = 'Please do not share your password pin. Your password pin is: [PIN]';

/** The most characters of a reference code, in A only. OTP spec §8. */
export const REFERENCE_CODE_MAX = 50;

export interface GenerateInput {
  /** E.164, with or without one leading plus. */
  readonly mobile: string;
  /**
   * 2 to 11 letters, digits, spaces, hyphens and dots, or 14 digits. Default: the gateway's
   *   (SECUREPIN).
   */
  readonly sender?: string | undefined;
  /** Seconds of pin validity. Default: the gateway's (600). A: 120 to 1800. */
  readonly validitySeconds?: number | undefined;
  /**
   * The message, with exactly one `[PIN]`: at most 160 GSM 7-bit characters or 70 UCS-2 units.
   * Default: the gateway's.
   */
  readonly message?: string | undefined;
  /** The caller's own reference, up to 50 characters. Variant A only. */
  readonly referenceCode?: string | undefined;
}

export interface ValidateInput {
  /** The id that `generate` returned. */
  readonly id: string;
  /** The number that received the pin: E.164, with or without one leading plus. */
  readonly mobile: string;
  /** 4 to 10 digits, as the user typed them. */
  readonly pin: string;
}

/**
 * How a "numeric" field is sent: a string of digits or a JSON number. Not shown in OTP spec §4:
 * which form "numeric" means.
 */
export type NumberForm = 'string' | 'number';

/** The form of each numeric field of a request. */
export interface NumberForms {
  readonly mobile: NumberForm;
  readonly validity: NumberForm;
}

/** The options that all requests of one client share. */
export interface RequestOptions {
  readonly variant: Variant;
  readonly numbersAs: NumberForms;
  readonly maxCodeDigits: number;
  readonly allowSecondSegment: boolean;
}

/**
 * Returns the schema that checks the input of `generate` by the gateway's rules and builds the
 * body.
 * @see OTP spec §4, POST generate; §8
 */
export function createGenerateRequest(options: RequestOptions) {
  const { variant, numbersAs } = options;
  // Remember the last message that fitted, because most messages of one client are the same.
  let fitting: string | undefined;

  return strictInput('field', {
    mobile: requestMobile,
    sender: z.custom<string>(isSender, SENDER_PROBLEM).optional(),
    validitySeconds: validitySeconds(variant).optional(),
    message: z
      .string('must be a string')
      .superRefine((message, context) => {
        if (message === fitting) return;
        const { maxCodeDigits, allowSecondSegment } = options;
        const { problem } = measureTemplate(message, maxCodeDigits, allowSecondSegment);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
        else fitting = message;
      })
      .optional(),
    referenceCode: referenceCode(variant).optional(),
  }).transform((input) => ({
    mobile: toForm[numbersAs.mobile](input.mobile),
    ...(input.sender !== undefined && { sender: input.sender }),
    ...(input.validitySeconds !== undefined && {
      validity: toForm[numbersAs.validity](input.validitySeconds),
    }),
    ...(input.message !== undefined && { message: input.message }),
    ...(input.referenceCode !== undefined && { reference_code: input.referenceCode }),
  }));
}

/**
 * Returns the schema that checks the input of `validate` and builds the body. The pin is a string
 * of digits.
 * @see OTP spec §4, POST validate/{id}
 *
 * Not shown in OTP spec §4: how many digits a pin has. 4 to 10 are accepted.
 */
export function createValidateRequest(options: RequestOptions) {
  const toMobile = toForm[options.numbersAs.mobile];

  return strictInput('field', {
    id: required(readOtpId[options.variant], 'must be an id that generate returned'),
    mobile: requestMobile,
    pin: z.string(PIN_PROBLEM).regex(/^[0-9]{4,10}$/, PIN_PROBLEM),
  }).transform((input) => ({
    id: input.id,
    body: { mobile: toMobile(input.mobile), pin: input.pin },
  }));
}

const PIN_PROBLEM = 'must be a string of 4 to 10 digits';
const SENDER_PROBLEM = 'must be 2 to 11 letters, digits, spaces, hyphens and dots, or 14 digits';

const toForm = { string: String, number: Number } as const;

/** Not shown in OTP spec §8: the range of B. Any whole number above zero is accepted. */
function validitySeconds(variant: Variant) {
  const aboveZero = 'must be a whole number above zero';
  if (variant === 'B') return z.int(aboveZero).min(1, aboveZero);
  const { min, max } = VALIDITY_RANGE_SECONDS;
  const problem = `must be a whole number from ${min} to ${max}`;
  return z.int(problem).min(min, problem).max(max, problem);
}

function referenceCode(variant: Variant) {
  const problem =
    variant === 'A'
      ? `must be a string of at most ${REFERENCE_CODE_MAX} characters`
      : 'exists in variant A only';
  return z
    .string(problem)
    .refine((code) => variant === 'A' && Array.from(code).length <= REFERENCE_CODE_MAX, problem);
}

/**
 * Reads an OTP id that is safe in a URL path. A: a string of up to 256 characters without control
 * characters, never "." or "..". B: 1 to 20 digits.
 * @see OTP spec §2, OTP object
 *
 * Not shown in OTP spec §2: whether the id of B is a number or a string of digits. Both are read,
 * and whole numbers in A too.
 */
export const readOtpId: Readonly<Record<Variant, ReadValue<string>>> = {
  A: (value) => {
    const id = readDigitsOrText(value);
    if (id === null || id.length > 256 || id === '.' || id === '..') return null;
    return id.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(id) ? id : null;
  },
  B: (value) => {
    const id = readDigitsOrText(value);
    return id !== null && /^[0-9]{1,20}$/.test(id) ? id : null;
  },
};

/**
 * OTP spec §2, OTP object of variant A. Fields without influence on a decision are null if missing
 * or malformed.
 */
export interface GeneratedA {
  readonly variant: 'A';
  readonly id: string;
  /** E.164 with plus. */
  readonly mobile: string;
  readonly sender: string | null;
  readonly validitySeconds: number | null;
  /**
   * The message with `[PIN]` still in it. Not shown in OTP spec §2: `message` or `imessaged`.
   * Either is read.
   */
  readonly message: string | null;
  readonly referenceCode: string | null;
}

/** OTP spec §2, OTP object of variant B. */
export interface GeneratedB {
  readonly variant: 'B';
  readonly id: string;
  /** E.164 with plus. */
  readonly mobile: string;
  /** The cost, as a decimal string. */
  readonly cost: string | null;
  /**
   * The value as received. Not shown in OTP spec §2: unit and epoch of `valid_until`, so no
   * decision depends on it.
   */
  readonly validUntilRaw: unknown;
}

export type Generated = GeneratedA | GeneratedB;

const generatedSchemas = {
  /** @see OTP spec §2, OTP object, variant A */
  A: z
    .object({
      id: required(readOtpId.A),
      mobile: required(readMobile),
      sender: orNull(readText),
      validity: orNull(readWholeNumber),
      message: orNull(readText),
      imessaged: orNull(readText),
      reference_code: orNull(readText),
    })
    .transform(({ validity, imessaged, reference_code: referenceCode, ...otp }): GeneratedA => ({
      variant: 'A',
      ...otp,
      validitySeconds: validity,
      message: otp.message ?? imessaged,
      referenceCode,
    })),
  /** @see OTP spec §2, OTP object, variant B */
  B: z
    .object({
      id: required(readOtpId.B),
      mobile: required(readMobile),
      cost: orNull(readDecimal),
      valid_until: z.unknown().optional(),
    })
    .transform(({ valid_until: validUntil, ...otp }): GeneratedB => ({
      variant: 'B',
      ...otp,
      validUntilRaw: validUntil ?? null,
    })),
};

/**
 * Reads the payload of a generate answer. Null if the id is malformed or the number is not that of
 * the request.
 */
export function readGenerated(
  variant: Variant,
  payload: unknown,
  digits: string,
): Generated | null {
  const generated = readOrNull<z.ZodType<Generated>>(generatedSchemas[variant], payload);
  return generated?.mobile === `+${digits}` ? generated : null;
}

/**
 * The payload of a right pin: the empty string.
 * @see OTP spec §4, POST validate/{id}
 *
 * Not shown in OTP spec §1: null or exactly `{}` instead. Both count.
 */
const validatedSchema = z.compile(z.union([z.literal(''), z.null(), z.strictObject({})]));

/**
 * Returns true if a validate answer reports success. Without a payload it does not, unless that is
 * accepted.
 */
export function isValidated(
  payload: unknown,
  hasPayload: boolean,
  acceptMissing: boolean,
): boolean {
  return hasPayload ? validatedSchema.validate(payload) : acceptMissing;
}
