import type { NextFunction, Request, RequestHandler, Response } from 'express';
import {
  type ChangePhones,
  type ChangeRequest,
  type ChangeResult,
  createChangePhones,
  type ListedPhone,
} from '../account/change-phones';
import { type Confirmed, createConfirmPhone, createEnrollPhone } from '../account/enroll';
import type { PhoneBook } from '../account/phone-book';
import { createSmsVerifier } from '../login/code-verifiers';
import type { LoginContext } from '../login/context';
import { createVerifyOtp } from '../login/verify-otp';
import type { Refused } from '../login/verify-otp';
import type { MiddlewareContext } from './context';
import { createFinishSend } from './send';
import {
  checkOptions,
  currentUser,
  type OptionTypes,
  readField,
  REDIRECT_TYPES,
  handleAsync,
} from './handler';
import { answerRefusal, answerSuccess, type RedirectOptions, recordRefusal, toSafePath } from './responses';
import type { PendingSlot } from './session-data';

/** Options of every middleware that changes a user's numbers. */
export interface PhoneOptions extends RedirectOptions {
  /** Seconds since the second factor was passed: above 0, at most 900. Default: 300. */
  readonly maxAgeSeconds?: number | undefined;
}

/** Options of `phones.enroll`. */
export interface EnrollOptions extends PhoneOptions {
  /**
   * The new number takes the place of another, at the moment its code is right: the one that the body names by its
   * `phoneId`, else the default. Default: false, it is added.
   */
  readonly replaces?: boolean | undefined;
  /** ISO 3166-1 code of the country whose national form is understood. Default: none, numbers begin with a plus. */
  readonly defaultCountry?: string | undefined;
}

/** Options of `phones.remove`. */
export interface RemoveOptions extends PhoneOptions {
  /** Whether the last confirmed number stays: without one, the next number is trusted on first use. Default: true. */
  readonly keepsLast?: boolean | undefined;
}

const DEFAULT_MAX_AGE_SECONDS = 300;
const FURTHEST_MAX_AGE_SECONDS = 900;

const PHONE_TYPES: OptionTypes = { ...REDIRECT_TYPES, maxAgeSeconds: 'number' };

/**
 * Checks the options and gives the age as milliseconds.
 * @throws {TypeError} that names the option.
 */
function readPhoneOptions(name: string, options: PhoneOptions, types: OptionTypes): number {
  checkOptions(name, options, types);
  const { maxAgeSeconds = DEFAULT_MAX_AGE_SECONDS } = options;
  if (maxAgeSeconds > 0 && maxAgeSeconds <= FURTHEST_MAX_AGE_SECONDS) return maxAgeSeconds * 1000;
  throw new TypeError(`${name}: maxAgeSeconds must be above 0 and at most ${FURTHEST_MAX_AGE_SECONDS}`);
}

/** @throws {TypeError} when it cannot be a country. Whether there is one of that name is known at the first number. */
function checkCountry({ defaultCountry }: EnrollOptions): void {
  if (defaultCountry === undefined || /^[A-Z]{2}$/.test(defaultCountry)) return;
  throw new TypeError('phones.enroll: defaultCountry must be an ISO 3166-1 code such as US');
}

type Work<Options> = (req: Request, res: Response, options: Options, maxAgeMs: number) => Promise<boolean>;

/** Makes the work of `phones.remove` and `phones.setDefault`. */
function createPhoneChanges(
  { slot, marks, fields, endOtherSessions, revokeDevices }: MiddlewareContext,
  changePhones: ChangePhones,
): { readonly remove: Work<RemoveOptions>; readonly setDefault: Work<PhoneOptions> } {
  return {
    async remove(req, res, options, maxAgeMs) {
      const result = await changePhones.removePhone(toRequest(req, maxAgeMs), options.keepsLast !== false);
      if (result.kind === 'changed') {
        await revokeDevices(result.user, req);
        await endOtherSessions(result.user, req);
      }
      return answer(req, res, options, result);
    },
    async setDefault(req, res, options, maxAgeMs) {
      const result = await changePhones.setDefaultPhone(toRequest(req, maxAgeMs));
      return answer(req, res, options, result);
    },
  };

  function toRequest(req: Request, maxAgeMs: number): ChangeRequest {
    const phoneId = readField(req, fields.phoneId);
    return { user: currentUser(req), passed: marks.read(req), maxAgeMs, phoneId, address: req.ip };
  }

  async function answer(
    req: Request,
    res: Response,
    { successRedirect, failureRedirect }: PhoneOptions,
    result: ChangeResult,
  ): Promise<boolean> {
    if (result.kind === 'changed') {
      req.smsOtp = { changed: true, ...result.phone };
      return answerSuccess(res, successRedirect);
    }
    const { refusal } = result;
    req.smsOtp = { changed: false, ...refusal };
    const notice = failureRedirect === undefined ? null : refusal.reason;
    await recordRefusal(slot, req, { otpId: slot.read(req).pending?.otpId, endsPending: false, notice });
    return answerRefusal(res, failureRedirect, refusal);
  }
}

type Confirm = (req: Request, res: Response, options: RedirectOptions) => Promise<boolean>;

/** Makes the work of `phones.confirm`. */
function createPhoneConfirm(
  { slot, marks, fields, endOtherSessions, revokeDevices }: MiddlewareContext,
  confirmPhone: ReturnType<typeof createConfirmPhone>,
): Confirm {
  return async function confirm(req, res, options) {
    const { pending, returnTo } = slot.read(req);
    const result = await confirmPhone({
      code: readField(req, fields.code),
      pending,
      currentUser: currentUser(req),
      address: req.ip,
      readPassed: () => marks.read(req),
      mayFinish: () => slot.mayFinish(req, pending?.otpId),
    });
    if (result.kind === 'unconfirmed') {
      await recordRefusal(slot, req, { otpId: pending?.otpId, endsPending: true, notice: 'unconfirmed' });
      throw result.error;
    }
    if (result.kind === 'refused') return refuse(req, res, options, pending, result);
    await renewSession(req, result);
    if (options.successRedirect === undefined) return true;
    return answerSuccess(res, toSafePath(returnTo ?? pending?.returnTo) ?? options.successRedirect);
  };

  /** The book has changed: whoever else is logged in as this user is ended though this session could not be renewed. */
  async function renewSession(req: Request, { user, userId, at }: Confirmed): Promise<void> {
    const method = 'sms';
    req.smsOtp = { verified: true, user, method, at };
    await revokeDevices(user, req);
    try {
      slot.carryThroughRenewal(req, { version: 1, verified: { userId, method, at } }, 'all');
      await slot.renewPrepared(req);
    } finally {
      // After the renewal: the app spares the session of this request by its new id.
      await endOtherSessions(user, req);
    }
  }

  async function refuse(
    req: Request,
    res: Response,
    { failureRedirect }: RedirectOptions,
    pending: PendingSlot | undefined,
    { refusal, endsPending }: Refused,
  ): Promise<boolean> {
    req.smsOtp = { verified: false, ...refusal };
    const notice = failureRedirect === undefined ? null : refusal.reason;
    await recordRefusal(slot, req, { otpId: pending?.otpId, endsPending, notice });
    return answerRefusal(res, failureRedirect, refusal);
  }
}

/** The numbers of a logged-in user. Whoever has one needs a second factor of their own that is young enough. */
export interface Phones {
  /** Texts a code to the number in the body. Until `confirm` it is worth nothing. */
  readonly enroll: (options?: EnrollOptions) => RequestHandler;
  /** Judges the code of `enroll`: the number becomes the user's, the session's id is renewed, and the mark is set. */
  readonly confirm: (options?: RedirectOptions) => RequestHandler;
  /** Takes away the number that the body names by its `phoneId`. */
  readonly remove: (options?: RemoveOptions) => RequestHandler;
  /** Makes the number that the body names by its `phoneId` the one that is texted unless the user chooses. */
  readonly setDefault: (options?: PhoneOptions) => RequestHandler;
  /** The user's numbers, the default first: masked, with the ids that forms send back. */
  readonly list: (user: Express.User) => Promise<readonly ListedPhone[]>;
}

/** What `phones` needs beside the rest. */
export interface PhonesContext {
  readonly login: LoginContext;
  readonly book: PhoneBook;
}

/** Makes `phones`. */
export function createPhones(context: MiddlewareContext, { login, book }: PhonesContext): Phones {
  const { slot, marks, fields, sendOtp } = context;
  // A texted code proves the number: no other factor is good for it.
  const verifyOtp = createVerifyOtp(login, createSmsVerifier(login, fields.code, ['enroll']));
  const enrollment = { login, book, sendOtp, verifyOtp };
  const enrollPhone = createEnrollPhone(enrollment);
  const changePhones = createChangePhones(enrollment);
  const finishSend = createFinishSend(context);
  const confirm = createPhoneConfirm(context, createConfirmPhone(enrollment));
  const { remove, setDefault } = createPhoneChanges(context, changePhones);

  async function enroll(
    req: Request,
    res: Response,
    options: EnrollOptions,
    maxAgeMs: number,
  ): Promise<boolean> {
    const before = slot.read(req);
    const result = await enrollPhone({
      user: currentUser(req),
      passed: marks.read(req),
      maxAgeMs,
      number: readField(req, fields.phone),
      defaultCountry: options.defaultCountry,
      replaces: options.replaces === true,
      phoneId: readField(req, fields.phoneId),
      address: req.ip,
      current: before.pending,
      getLocale: (user) => context.getLocale(user, req),
    });
    return finishSend(req, res, options, { before, result, returnTo: before.returnTo });
  }

  return {
    enroll(options = {}) {
      const types = { ...PHONE_TYPES, replaces: 'boolean', defaultCountry: 'string' } as const;
      const maxAgeMs = readPhoneOptions('phones.enroll', options, types);
      checkCountry(options);
      return function smsOtpEnrollPhone(req: Request, res: Response, next: NextFunction) {
        handleAsync(res, next, () => enroll(req, res, options, maxAgeMs));
      };
    },
    confirm(options = {}) {
      checkOptions('phones.confirm', options, REDIRECT_TYPES);
      return function smsOtpConfirmPhone(req: Request, res: Response, next: NextFunction) {
        handleAsync(res, next, () => confirm(req, res, options));
      };
    },
    remove(options = {}) {
      const maxAgeMs = readPhoneOptions('phones.remove', options, { ...PHONE_TYPES, keepsLast: 'boolean' });
      return function smsOtpRemovePhone(req: Request, res: Response, next: NextFunction) {
        handleAsync(res, next, () => remove(req, res, options, maxAgeMs));
      };
    },
    setDefault(options = {}) {
      const maxAgeMs = readPhoneOptions('phones.setDefault', options, PHONE_TYPES);
      return function smsOtpSetDefaultPhone(req: Request, res: Response, next: NextFunction) {
        handleAsync(res, next, () => setDefault(req, res, options, maxAgeMs));
      };
    },
    list: changePhones.listPhones,
  };
}
