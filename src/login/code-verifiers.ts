import type { Factor } from '../account/factor';
import { readRecoveryCode, type RecoveryCodes } from '../account/recovery-codes';
import type { Admission, GatewayClient } from '../client/gateway-client';
import {
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  type SmsOtpError,
} from '../errors';
import type { Variant } from '../protocol/paths';
import type { Challenge } from '../stores/store';
import type { LoginContext } from './context';
import type { Method } from './outcome';

/** What was made of a code. `lost`: the answer did not arrive whole, so the code may have been judged. */
export type Judgement =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'over' }
  | { readonly kind: 'lost'; readonly error: SmsOtpError };

/** A code with whom it is said to be of. */
export interface Claimed {
  readonly challenge: Challenge;
  readonly user: Express.User;
  readonly code: string;
  readonly address: string | undefined;
}

/** A place before the judge, taken before anything is counted. */
export interface Hearing {
  /** @throws {SmsOtpError} when the code was surely not judged: the challenge lives on. */
  readonly judge: (claimed: Claimed) => Promise<Judgement>;
  readonly close: () => void;
}

/** Who knows a right code from a wrong one. */
export interface Judge {
  readonly method: Method;
  /** The code in its plain form, or null for what cannot be one. */
  readonly readCode: (input: unknown) => string | null;
  /** @throws {SmsOtpError} when no code can be judged now: nothing is counted. */
  readonly open: () => Promise<Hearing>;
  /** Whether what the challenge was made for is still so. */
  readonly isStillValid: (user: Express.User, challenge: Challenge) => Promise<boolean>;
}

/** Longest text that is looked at; autofill and paste bring spaces and marks along. */
const MAX_INPUT_LENGTH = 64;

/** Spaces, dashes, dots and invisible format characters that people and phones put between digits. */
const SEPARATORS = /[\p{Z}\p{Cf}\p{Pd}\s.·]/gu;

const CODE = /^[0-9]{4,10}$/;

/**
 * The digits of a code as typed or pasted, or null: 4 to 10 of them once separators and one leading "#" are gone and
 * digits of other scripts have become ASCII. Leading zeros stay. Anything else is an error for the user to see.
 * Not shown in OTP spec §4: the length of a pin, so 4 to 10 digits are admitted.
 */
export function readCode(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return null;
  // Nearly every code comes as it is.
  if (CODE.test(input)) return input;
  const digits = toAsciiDigits(input.normalize('NFKC')).replace(SEPARATORS, '').replace(/^#/, '');
  return CODE.test(digits) ? digits : null;
}

/** Decimal digits of any script as ASCII. */
export function toAsciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** Unicode decimal digits come in runs of ten (or multiples), so the value is the distance from the start of the run. */
function digitValue(digit: string): number {
  // A digit is a character: the 0 is for the compiler alone.
  const codePoint = digit.codePointAt(0) ?? 0;
  let start = codePoint;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return (codePoint - start) % 10;
}

/** An accident after which the gateway may have done what it was asked: its answer did not arrive whole. */
export type LostAnswer = GatewayResponseError | GatewayTimeoutError | GatewayUnreachableError;

export function mayHaveArrived(error: unknown): error is LostAnswer {
  if (error instanceof GatewayResponseError) return true;
  const isCut = error instanceof GatewayTimeoutError || error instanceof GatewayUnreachableError;
  return isCut && error.mayHaveArrived;
}

/**
 * What a rejected validate call means. OTP spec §7.
 * - `wrong`: the pin is not right; the challenge lives on. A cannot tell wrong from expired and consumed (2107).
 * - `over`: expired (2108) or consumed (2109); the challenge ends. Never success, and never told apart by the user.
 * - `not-judged`: the gateway did not look at the pin; the challenge lives on and the error is passed on.
 */
export type PinRejection = 'wrong' | 'over' | 'not-judged';

const WRONG: Readonly<Record<Variant, readonly number[]>> = { A: [2107], B: [2107, 2120] };
const OVER: readonly number[] = [2108, 2109];

/** Reads the gateway's code. The HTTP status decides nothing: which code comes with which status is not shown. */
function readPinRejection(variant: Variant, { gatewayCode }: GatewayRejectedError): PinRejection {
  if (gatewayCode === null) return 'not-judged';
  if (WRONG[variant].includes(gatewayCode)) return 'wrong';
  return OVER.includes(gatewayCode) ? 'over' : 'not-judged';
}

/** The gateway judges the codes that it has made and sent. */
export function createPinJudge(parts: LoginContext): Judge {
  const { gateway } = parts;
  return {
    method: 'sms',
    readCode,
    open: async () => {
      const admission = await gateway.admit('validate');
      return {
        judge: ({ challenge, code }) => judgePin(gateway, challenge, code, admission),
        close: () => admission.release(),
      };
    },
    // The number of an enrollment is not the user's yet.
    isStillValid: async (user, { purpose, mobile }) =>
      purpose === 'enroll' || (await parts.listPhones(user)).includes(mobile),
  };
}

/**
 * Has the gateway judge a code. OTP spec §4, validate.
 * @throws {SmsOtpError} when the code was surely not judged: the challenge lives on.
 */
async function judgePin(
  gateway: GatewayClient,
  { otpId, mobile }: Challenge,
  pin: string,
  admission: Admission,
): Promise<Judgement> {
  try {
    await gateway.otp.validate({ id: otpId, mobile, pin }, admission);
    return { kind: 'right' };
  } catch (error) {
    if (mayHaveArrived(error)) return { kind: 'lost', error };
    if (!(error instanceof GatewayRejectedError)) throw error;
    const rejection = readPinRejection(gateway.variant, error);
    if (rejection === 'not-judged') throw error;
    return { kind: rejection };
  }
}

/** Longest code that is looked at. */
const MAX_CODE_LENGTH = 128;

/** The callback of another factor judges its codes. */
export function createFactorJudge(factor: Pick<Factor, 'name' | 'check'>): Judge {
  return {
    method: factor.name,
    readCode: (input) => {
      if (typeof input !== 'string' || input.length > MAX_CODE_LENGTH) return null;
      const code = input.trim();
      return code === '' ? null : code;
    },
    open: () =>
      Promise.resolve({
        judge: async ({ user, challenge: { userId }, code, address }) => {
          const isRight: unknown = await factor.check({ user, userId, code, address });
          return { kind: isRight === true ? 'right' : 'wrong' };
        },
        close: () => undefined,
      }),
    isStillValid: () => Promise.resolve(true),
  };
}

/**
 * The store judges a recovery code by spending it: it is right for exactly one caller, and stays spent even when the
 * login comes to nothing after that.
 */
export function createRecoveryCodeJudge({ emit }: Pick<LoginContext, 'emit'>, codes: RecoveryCodes): Judge {
  return {
    method: 'recovery-code',
    readCode: readRecoveryCode,
    open: () =>
      Promise.resolve({
        judge: async ({ challenge: { userId }, code, address }) => {
          const { isSpent, left } = await codes.spend(userId, code);
          // True and nothing like it.
          if ((isSpent as unknown) !== true) return { kind: 'wrong' };
          emit({ type: 'recovery-code-used', userId, address, left });
          return { kind: 'right' };
        },
        close: () => undefined,
      }),
    isStillValid: () => Promise.resolve(true),
  };
}
