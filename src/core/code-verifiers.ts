import type { ChallengeFactor, CodeFactor, FactorChallenged } from '../features/factors/factors';
import { readRecoveryCode, type RecoveryCodes } from '../features/recovery-codes/recovery-codes';
import { isAnswerLost, isObject, type SmsOtpError, withoutRetryAfter } from '../errors';
import type { Permit } from '../gateway';
import { withoutMarks } from '../limits/typed-digits';
import { parseJson } from '../stores/check-values';
import type { PendingLogin, Purpose, SentOtp } from '../stores/store';
import { waitAtMost } from '../stores/with-timeout';
import type { Core } from './context';
import type { Counting } from './feature';
import { toCheckTimeout } from './previous-otp';
import type { Method } from './outcome';

/** A pending login, and the text at which an attempt was counted; null: no text is live. */
export interface ClaimedLogin {
  readonly pending: PendingLogin;
  readonly otp: SentOtp | null;
}

/** A code with the pending login and the user it is claimed to belong to. */
export interface ClaimedCode extends ClaimedLogin {
  readonly user: Express.User;
  readonly code: string;
  /** The challenge of ours that it answers, if the factor has one. */
  readonly factorChallenge: string | undefined;
  readonly address: string | undefined;
  /** Milliseconds that the gateway has to judge it. Left out: its own deadline. */
  readonly limitMs?: number | undefined;
}

/**
 * The result of verifying a code. `over`: the code has expired or was used. `lost`: the answer did
 * not arrive whole, so the code may have been judged.
 */
export type Verification =
  | { readonly kind: 'right' | 'wrong' | 'over' }
  | { readonly kind: 'lost'; readonly error: SmsOtpError };

/** Verifies the codes of one factor. */
export interface CodeVerifier {
  /** The factor's name, and the `method` of the mark. */
  readonly method: Method;
  /** The field of the request body that holds the code. */
  readonly field: string;
  /** RFC 8176. */
  readonly amr: string;
  readonly counting: Counting;
  /** What its codes are good for. */
  readonly purposes: readonly Purpose[];
  /** Returns the code in its plain form, or null for input that cannot be one. */
  readonly readCode: (input: unknown) => string | null;
  /**
   * Reserves a gateway slot before the attempt is counted, so that an overloaded gateway costs the
   * user nothing. Left out: the gateway is not needed.
   * @throws {SmsOtpError} when no code can be verified now.
   */
  readonly reserve?: () => Promise<Permit>;
  /**
   * Returns whether the pending login still applies, e.g. the user still owns the number that was
   * texted. Left out: it does.
   */
  readonly isStillValid?: (user: Express.User, claimed: ClaimedLogin) => Promise<boolean>;
  /** The factor answers a challenge of ours. Left out: its codes are typed. */
  readonly challenge?: {
    readonly createOptions: ChallengeFactor['createOptions'];
    /**
     * Takes the open challenge of a pending login, which is good once, whatever the answer will be.
     * A reason: there is none to answer.
     */
    readonly take: (
      pendingId: string,
    ) => Promise<{ readonly challenge: string } | { readonly reason: 'expired' | 'wrong-code' }>;
  };
  /** @throws {SmsOtpError} when the code was surely not judged: the pending login lives on. */
  readonly verify: (claimed: ClaimedCode, slot: Permit | undefined) => Promise<Verification>;
}

/** Names of the body fields that hold codes. */
interface CodeFields {
  readonly code: string;
  readonly recoveryCode: string;
}

/** Makes the verifier of every configured factor, by its name. `sms` is always there. */
export function createCodeVerifiers(
  core: Core,
  {
    fields,
    factors,
  }: { readonly fields: CodeFields; readonly factors: readonly (CodeFactor | ChallengeFactor)[] },
  recoveryCodes: RecoveryCodes | undefined,
): ReadonlyMap<string, CodeVerifier> {
  const verifiers = [
    createSmsVerifier(core, fields.code, ['login', 'step-up', 'transaction']),
    ...(recoveryCodes
      ? [createRecoveryCodeVerifier(core, recoveryCodes, fields.recoveryCode)]
      : []),
    ...factors.map((factor) =>
      'check' in factor
        ? createFactorVerifier(factor, fields.code)
        : createResponseVerifier(core, factor, fields.code),
    ),
  ];
  return new Map(verifiers.map((verifier) => [verifier.method, verifier]));
}

/** Returns whether a factor is one of the option `factors`. */
export function isAppFactor(method: string): boolean {
  return method !== 'sms' && method !== 'recovery-code';
}

/** The gateway verifies the codes that it has made and sent. */
export function createSmsVerifier(
  { gateway, listPhones }: Pick<Core, 'gateway' | 'listPhones'>,
  field: string,
  purposes: readonly Purpose[],
): CodeVerifier {
  return {
    method: 'sms',
    field,
    amr: 'sms',
    counting: 'guess',
    purposes,
    readCode,
    reserve: () => gateway.admit('validate'),
    // The number of an enrollment is not the user's yet. A number that cannot be read now may be
    // another one than the code went to.
    isStillValid: async (user, { pending: { purpose }, otp }) => {
      if (purpose === 'enroll') return true;
      const phones = await listPhones(user);
      return !('found' in phones) && phones.some(({ mobile }) => mobile === otp?.mobile);
    },
    verify: async ({ otp, code, limitMs }, slot) => {
      // No code fits a login without a text: the decision has refused it before.
      if (otp === null) return toVerdict(false);
      const { otpId, mobile } = otp;
      try {
        const verdict = gateway.validate({ id: otpId, mobile, pin: code }, slot);
        if (limitMs === undefined) return { kind: await verdict };
        return { kind: await waitAtMost(verdict, limitMs, toCheckTimeout) };
      } catch (error) {
        // The text is over: however long the client waits, there is nothing to try again.
        if (isAnswerLost(error)) return { kind: 'lost', error: withoutRetryAfter(error) };
        throw error;
      }
    },
  };
}

/**
 * The store verifies a recovery code by spending it: it is right for exactly one caller, and stays
 * spent even if the login fails after that.
 */
function createRecoveryCodeVerifier(
  { emit }: Pick<Core, 'emit'>,
  codes: RecoveryCodes,
  field: string,
): CodeVerifier {
  return {
    method: 'recovery-code',
    field,
    amr: 'recovery-code',
    counting: 'recovery',
    purposes: ['login', 'step-up'],
    readCode: readRecoveryCode,
    verify: async ({ pending: { userId }, code, address }) => {
      const { isSpent, left } = await codes.spend(userId, code);
      if (isSpent) emit({ type: 'recovery-code-used', userId, address, left });
      return toVerdict(isSpent);
    },
  };
}

/** Longer input is not a code of any factor. */
const MAX_FACTOR_INPUT_LENGTH = 128;

/**
 * The app's callback verifies the codes of its own factor. A transaction's text shows what is
 * approved, and an enrollment proves the number: only the texted code is good for those.
 */
function createFactorVerifier(factor: CodeFactor, codeField: string): CodeVerifier {
  return {
    ...describeFactor(factor, codeField),
    counting: 'guess',
    readCode: (input) => {
      if (typeof input !== 'string' || input.length > MAX_FACTOR_INPUT_LENGTH) return null;
      const code = input.trim();
      return code === '' ? null : code;
    },
    verify: async ({ user, pending: { userId }, code, address }) => {
      return toVerdict(await factor.check({ user, userId, code, address }));
    },
  };
}

/** A callback without types may answer anything: only `true` is right. */
function toVerdict(isRight: unknown): Verification {
  return { kind: isRight === true ? 'right' : 'wrong' };
}

function describeFactor({ name, field, amr }: CodeFactor | ChallengeFactor, codeField: string) {
  const purposes = ['login', 'step-up'] as const;
  return {
    method: name,
    field: field ?? codeField,
    amr: amr ?? name,
    purposes,
  };
}

/** Longer input is not a response. A passkey's has some 1,000 characters. */
const MAX_RESPONSE_LENGTH = 16_384;

/**
 * The app's callback verifies the response to a challenge of ours, which comes as JSON or, from a
 * form, as its text.
 */
function createResponseVerifier(
  { store }: Pick<Core, 'store'>,
  factor: ChallengeFactor,
  codeField: string,
): CodeVerifier {
  return {
    ...describeFactor(factor, codeField),
    counting: 'answer',
    readCode: (input) => {
      const text = typeof input === 'string' ? input : toJson(input);
      return text.length <= MAX_RESPONSE_LENGTH && isObject(parseJson(text)) ? text : null;
    },
    challenge: {
      createOptions: (challenged) => factor.createOptions(challenged),
      take: async (pendingId) => {
        const open = await store.challenges.find(pendingId, factor.name);
        if (open === null) return { reason: 'expired' };
        // False: another request answers it.
        if (!(await store.challenges.take(open))) return { reason: 'wrong-code' };
        return { challenge: open.challenge };
      },
    },
    verify: async ({
      user,
      pending: { userId, purpose },
      code,
      factorChallenge: challenge = '',
      address,
    }) => {
      const response = parseJson(code);
      if (!isObject(response) || !admitsOtherFactors(purpose)) return toVerdict(false);
      const answered = { user, userId, purpose, challenge, response, address };
      return toVerdict(await factor.checkResponse(answered));
    },
  };
}

/** Returns a parsed body as JSON text again; an empty text when it is too deep. */
function toJson(body: unknown): string {
  try {
    return JSON.stringify(body ?? null);
  } catch {
    // A body of some 10,000 characters can be nested deeper than JSON.stringify can follow.
    return '';
  }
}

/**
 * Returns whether other factors are good for a purpose: a transaction's text shows what is
 * approved, an enrollment's proves the number.
 */
export function admitsOtherFactors(purpose: Purpose): purpose is FactorChallenged['purpose'] {
  return purpose === 'login' || purpose === 'step-up';
}

/** Returns whether a factor is one of those that are accepted. Undefined: all are. */
export function isAccepted(methods: readonly string[] | undefined, method: Method): boolean {
  return methods === undefined || methods.includes(method);
}

/** Longer input is not a texted code, whatever autofill and paste bring along. */
const MAX_INPUT_LENGTH = 64;

const CODE = /^[0-9]{4,10}$/;

/**
 * Returns the digits of a texted code as typed or pasted, or null: 4 to 10 of them once separators
 * and one leading "#" are removed and digits of other scripts have become ASCII. Leading zeros
 * stay. Anything else is an error that the user sees. Not shown in OTP spec §4: the length of a
 * pin, so 4 to 10 digits are admitted.
 */
export function readCode(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > MAX_INPUT_LENGTH) return null;
  // Nearly every code comes as it is.
  if (CODE.test(input)) return input;
  const digits = withoutMarks(input).replace(/^#/, '');
  return CODE.test(digits) ? digits : null;
}
