import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { ListedPhone } from '../enrolment/change-phones';
import { readField } from './body-field';
import { checkOptions, REDIRECT_TYPES } from './check-options';
import { currentUser } from './current-user';
import type { EdgeParts } from './edge-parts';
import { createFinishSend } from './finish-send';
import { createPhoneChanges } from './phone-changes';
import { createPhoneConfirm } from './phone-confirm';
import {
  checkCountry,
  PHONE_TYPES,
  readPhoneOptions,
  type EnrolOptions,
  type PhoneOptions,
  type RemoveOptions,
} from './phone-options';
import type { PhoneParts } from './phone-parts';
import type { RedirectOptions } from './refuse';
import { run } from './run';

/** The numbers of a logged-in user. Whoever has one needs a second factor of their own that is young enough. */
export interface Phones {
  /** Texts a code to the number in the body. Until `confirm` it is worth nothing. */
  readonly enrol: (options?: EnrolOptions) => RequestHandler;
  /** Judges the code of `enrol`: the number becomes the user's, the session's id is renewed, and the mark is set. */
  readonly confirm: (options?: RedirectOptions) => RequestHandler;
  /** Takes away the number that the body names by its `phoneId`. */
  readonly remove: (options?: RemoveOptions) => RequestHandler;
  /** Makes the number that the body names by its `phoneId` the one that is texted unless the user chooses. */
  readonly setDefault: (options?: PhoneOptions) => RequestHandler;
  /** The user's numbers, the default first: masked, with the ids that forms send back. */
  readonly list: (user: Express.User) => Promise<readonly ListedPhone[]>;
}

/** Makes `phones`. */
export function createPhones(parts: EdgeParts, phoneParts: PhoneParts): Phones {
  const { slot, marks } = parts;
  const { enrolment, phoneField } = phoneParts;
  const finishSend = createFinishSend(parts);
  const confirm = createPhoneConfirm(parts, phoneParts);
  const { remove, setDefault } = createPhoneChanges(parts, phoneParts);

  async function enrol(
    req: Request,
    res: Response,
    options: EnrolOptions,
    maxAgeMs: number,
  ): Promise<boolean> {
    const before = slot.read(req);
    const result = await enrolment.enrolPhone({
      user: currentUser(req),
      passed: marks.read(req),
      maxAgeMs,
      number: readField(req, phoneField),
      defaultCountry: options.defaultCountry,
      replaces: options.replaces === true,
      phoneId: readField(req, parts.phoneIdField),
      address: req.ip,
      current: before.pending,
      getLocale: (user) => parts.getLocale(user, req),
    });
    return finishSend(req, res, options, { before, result, returnTo: before.returnTo });
  }

  return {
    enrol(options = {}) {
      const types = { ...PHONE_TYPES, replaces: 'boolean', defaultCountry: 'string' } as const;
      const maxAgeMs = readPhoneOptions('phones.enrol', options, types);
      checkCountry(options);
      return function smsOtpEnrolPhone(req: Request, res: Response, next: NextFunction) {
        run(res, next, () => enrol(req, res, options, maxAgeMs));
      };
    },
    confirm(options = {}) {
      checkOptions('phones.confirm', options, REDIRECT_TYPES);
      return function smsOtpConfirmPhone(req: Request, res: Response, next: NextFunction) {
        run(res, next, () => confirm(req, res, options));
      };
    },
    remove(options = {}) {
      const maxAgeMs = readPhoneOptions('phones.remove', options, { ...PHONE_TYPES, keepsLast: 'boolean' });
      return function smsOtpRemovePhone(req: Request, res: Response, next: NextFunction) {
        run(res, next, () => remove(req, res, options, maxAgeMs));
      };
    },
    setDefault(options = {}) {
      const maxAgeMs = readPhoneOptions('phones.setDefault', options, PHONE_TYPES);
      return function smsOtpSetDefaultPhone(req: Request, res: Response, next: NextFunction) {
        run(res, next, () => setDefault(req, res, options, maxAgeMs));
      };
    },
    list: enrolment.listPhones,
  };
}
