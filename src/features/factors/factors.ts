import { randomBytes } from 'node:crypto';
import type { HasNoFactor, ListFactors, Core } from '../../core/context';
import { findPhones } from '../../core/phones';
import { idText, isUser, toUserIdText } from '../../core/users';
import { createPhoneCheck, type PhoneSources } from '../phones/phone-book';
import { createRecoveryCodes, type RecoveryCodes } from '../recovery-codes/recovery-codes';

/**
 * Another second factor beside the text message. The library counts attempts and marks the session.
 * Ten wrong codes lock a factor whose codes are typed, and fifty disable all of these together with
 * the texts; responses to a challenge lock and disable nothing. For a login or a step-up; it
 * confirms no number and approves no transaction.
 */
export type Factor<User = Express.User> = CodeFactor<User> | ChallengeFactor<User>;

interface FactorBase<User> {
  /** Its name, and the `method` of the mark: small letters, digits and hyphens. */
  readonly name: string;
  /**
   * The value that `req.authInfo.amr` has after the first factor's; RFC 8176. Default: the name.
   */
  readonly amr?: string | undefined;
  /** The field of the body that holds its code, or its response. Default: `codeField`. */
  readonly field?: string | undefined;
  /**
   * Returns whether this user has the factor, whether or not it works at the moment. Only `true`
   * means yes. A throw means that the factor is not offered now, and where a right depends on it,
   * that the user has it. Required with `phoneBook` or `recoveryCodes`. Default: every user has it.
   */
  isAvailable?(user: User): boolean | Promise<boolean>;
}

/**
 * A factor whose code the user enters, such as an authenticator app's. That a code works only once
 * is up to the callback.
 */
export interface CodeFactor<User = Express.User> extends FactorBase<User> {
  /**
   * Returns whether the code is this user's. Only `true` means yes; a throw goes to the app's error
   * handler and counts as an attempt.
   */
  check(claimed: FactorCheck<User>): boolean | Promise<boolean>;
}

/**
 * A factor that answers a challenge, such as a passkey. The library makes the challenge and keeps
 * it in the store, under the pending login: it is good once, for five minutes at most and until
 * the next challenge of that factor, and for nothing else.
 */
export interface ChallengeFactor<User = Express.User> extends FactorBase<User> {
  /**
   * Returns what `optionsWith` sends to the browser as JSON, with the challenge in it. A throw goes
   * to the app's error handler.
   */
  createOptions(challenged: FactorChallenged<User>): object | Promise<object>;
  /**
   * Returns whether the response answers this challenge for this user. Only `true` means yes; a
   * throw goes to the app's error handler, and the attempt is given back.
   */
  checkResponse(answered: FactorResponse<User>): boolean | Promise<boolean>;
}

/** Who passes a factor. */
interface FactorUser<User> {
  readonly user: User;
  readonly userId: string;
  /** The client's address as Express returns it (`req.ip`); undefined when there is none. */
  readonly address: string | undefined;
}

/** Whom a challenge is for. */
export interface FactorChallenged<User = Express.User> extends FactorUser<User> {
  readonly purpose: 'login' | 'step-up';
  /** 32 random bytes as base64url. */
  readonly challenge: string;
}

/** A response to a challenge. */
export interface FactorResponse<User = Express.User> extends FactorChallenged<User> {
  /** The JSON object of the body's field, unchecked: at most 16,384 characters. */
  readonly response: object;
}

/** A code of another factor, as a user has entered it. */
export interface FactorCheck<User = Express.User> extends FactorUser<User> {
  /** As typed, trimmed: 1 to 128 characters. */
  readonly code: string;
}

/**
 * Answers what a user is offered now, where a factor that fails is left out, and what a user has.
 */
export interface UserFactors {
  readonly listFactors: ListFactors;
  /**
   * Returns whether the user can pass a second factor, or could before the last recovery code was
   * used. Rejects when a callback or the store fails.
   */
  readonly canPassSecondFactor: (user: Express.User) => Promise<boolean>;
  readonly hasNoFactor: HasNoFactor;
  /** Returns whether the user can pass one of these factors now. */
  readonly hasOneOf: (user: Express.User, methods: readonly string[]) => Promise<boolean>;
}

type UserFactorsContext = Pick<Core, 'emit' | 'warn' | 'getUserId' | 'listPhones'>;

interface UserFactorsSettings extends Pick<PhoneSources, 'getPhone' | 'phoneBook'> {
  readonly factors: readonly Factor[];
}

export function createUserFactors(
  { emit, warn, getUserId, listPhones }: UserFactorsContext,
  { factors, ...phones }: UserFactorsSettings,
  recoveryCodes: Pick<RecoveryCodes, 'count'> | undefined,
): UserFactors {
  const hasPhone = createPhoneCheck(listPhones, { ...phones, getUserId });

  return { listFactors, canPassSecondFactor, hasNoFactor, hasOneOf };

  async function listFactors(user: Express.User, userId: string): Promise<readonly string[]> {
    // Most apps have neither.
    if (factors.length === 0 && recoveryCodes === undefined) return [];
    const asked = factors.map(async (factor) => {
      const isOffered = await hasFactor(factor, user, userId).catch(() => false);
      return isOffered ? [factor.name] : [];
    });
    const named = (await Promise.all(asked)).flat();
    const codesLeft = (await recoveryCodes?.count(userId)) ?? 0;
    return codesLeft > 0 ? [...named, 'recovery-code'] : named;
  }

  async function canPassSecondFactor(user: Express.User): Promise<boolean> {
    const { userId } = toUserIdText(getUserId(user));
    if (await hasPhone(user)) return true;
    const asked = factors.map((factor) => hasFactor(factor, user, userId));
    if ((await Promise.all(asked)).includes(true)) return true;
    // Codes that were spent count as well, until an operator enables codes.
    return ((await recoveryCodes?.count(userId)) ?? null) !== null;
  }

  async function hasOneOf(user: Express.User, methods: readonly string[]): Promise<boolean> {
    const { userId } = toUserIdText(getUserId(user));
    const listed = await listFactors(user, userId);
    if (listed.some((factor) => methods.includes(factor))) return true;
    if (!methods.includes('sms')) return false;
    const phones = await findPhones({ listPhones, warn }, user);
    // A number that cannot be read now is one that the user has.
    return 'found' in phones || phones.length > 0;
  }

  async function hasNoFactor(userId: string, load: () => unknown): Promise<boolean> {
    try {
      const user: unknown = await load();
      if (!isUser(user) || idText(getUserId(user)) !== userId) return false;
      return !(await canPassSecondFactor(user));
    } catch {
      warn(
        'SMS_OTP_FACTORS_UNKNOWN',
        'Whether a user can pass a second factor could not be found out, so the user counts as ' +
          'one who can: loadUser, getPhone, phoneBook.list, isAvailable or the store has failed',
      );
      return false;
    }
  }

  async function hasFactor(factor: Factor, user: Express.User, userId: string): Promise<boolean> {
    if (factor.isAvailable === undefined) return true;
    try {
      const isAvailable: unknown = await factor.isAvailable(user);
      return isAvailable === true;
    } catch (error) {
      emit({ type: 'factor-failing', userId, factor: factor.name });
      throw error;
    }
  }
}

/** Recovery codes, where they are configured. */
export interface LoginFactors {
  readonly recoveryCodes: RecoveryCodes | undefined;
}

interface FactorSettings {
  readonly recoveryCodes?: { readonly count: number } | undefined;
}

export function createFactors(
  { store, now, createDigests }: Core,
  { recoveryCodes }: FactorSettings,
): LoginFactors {
  const digests = createDigests('factors');
  const parts = { sets: store.recoveryCodes, digests, randomBytes, now };
  return { recoveryCodes: recoveryCodes && createRecoveryCodes({ ...recoveryCodes, ...parts }) };
}
