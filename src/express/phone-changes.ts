import type { Request, Response } from 'express';
import type { ChangeRequest, ChangeResult } from '../enrolment/change-phones';
import { readField } from './body-field';
import { currentUser } from './current-user';
import type { EdgeParts } from './edge-parts';
import type { PhoneOptions, RemoveOptions } from './phone-options';
import type { PhoneParts } from './phone-parts';
import { answerRefusal, answerSuccess, settle } from './refuse';

type Work<Options> = (req: Request, res: Response, options: Options, maxAgeMs: number) => Promise<boolean>;

/** Makes the work of `phones.remove` and `phones.setDefault`. */
export function createPhoneChanges(
  { slot, marks, phoneIdField, endOtherSessions, revokeDevices }: EdgeParts,
  { enrolment }: PhoneParts,
): { readonly remove: Work<RemoveOptions>; readonly setDefault: Work<PhoneOptions> } {
  return {
    async remove(req, res, options, maxAgeMs) {
      const result = await enrolment.removePhone(toRequest(req, maxAgeMs), options.keepsLast !== false);
      if (result.kind === 'changed') {
        await revokeDevices(result.user, req);
        await endOtherSessions(result.user, req);
      }
      return answer(req, res, options, result);
    },
    async setDefault(req, res, options, maxAgeMs) {
      const result = await enrolment.setDefaultPhone(toRequest(req, maxAgeMs));
      return answer(req, res, options, result);
    },
  };

  function toRequest(req: Request, maxAgeMs: number): ChangeRequest {
    const phoneId = readField(req, phoneIdField);
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
    await settle(slot, req, { otpId: slot.read(req).pending?.otpId, endsPending: false, notice });
    return answerRefusal(res, failureRedirect, refusal);
  }
}
