import type { Request, Response } from 'express';
import type { Confirmed } from '../enrolment/confirm-phone';
import type { Refused } from '../login/attempt';
import { readField } from './body-field';
import { currentUser } from './current-user';
import type { EdgeParts } from './edge-parts';
import type { PhoneParts } from './phone-parts';
import { answerRefusal, answerSuccess, settle, type RedirectOptions } from './refuse';
import { toSafePath } from './return-path';
import type { PendingSlot } from './session-data';

type Confirm = (req: Request, res: Response, options: RedirectOptions) => Promise<boolean>;

/** Makes the work of `phones.confirm`. */
export function createPhoneConfirm(
  { slot, marks, endOtherSessions, revokeDevices }: EdgeParts,
  { enrolment, pinField }: PhoneParts,
): Confirm {
  return async function confirm(req, res, options) {
    const { pending, returnTo } = slot.read(req);
    const result = await enrolment.confirmPhone({
      code: readField(req, pinField),
      pending,
      currentUser: currentUser(req),
      address: req.ip,
      readPassed: () => marks.read(req),
      mayFinish: () => slot.mayFinish(req, pending?.otpId),
    });
    if (result.kind === 'unconfirmed') {
      await settle(slot, req, { otpId: pending?.otpId, endsPending: true, notice: 'unconfirmed' });
      throw result.error;
    }
    if (result.kind === 'refused') return turnAway(req, res, options, pending, result);
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

  async function turnAway(
    req: Request,
    res: Response,
    { failureRedirect }: RedirectOptions,
    pending: PendingSlot | undefined,
    { refusal, endsPending }: Refused,
  ): Promise<boolean> {
    req.smsOtp = { verified: false, ...refusal };
    const notice = failureRedirect === undefined ? null : refusal.reason;
    await settle(slot, req, { otpId: pending?.otpId, endsPending, notice });
    return answerRefusal(res, failureRedirect, refusal);
  }
}
