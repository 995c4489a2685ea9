import type { Request, RequestHandler, Response } from 'express';
import type { CreateFactorOptions } from '../login/factor-options';
import type { MiddlewareContext } from './context';
import { createFactory, currentUser } from './handler';
import { finishRefusal, LOGIN_ENDED, notVerified, type SessionRefusal } from './responses';
import type { SmsOtpSession } from './session-data';
import { updateSlot } from './update-slot';

/** Makes `optionsWith` for one factor. */
export function createOptionsWith(
  context: MiddlewareContext,
  createOptions: CreateFactorOptions,
): RequestHandler {
  const { slot, logins } = context;

  return createFactory('optionsWith', 'smsOtpOptions', answer)();

  async function answer(req: Request, res: Response): Promise<boolean> {
    const { pending } = slot.read(req);
    const otpId = pending?.otpId;
    const request = { pending, currentUser: currentUser(req), address: req.ip };
    const result = (await logins.findEnd(req)) ?? (await createOptions(request));
    if (result.kind === 'refused') return refuse({ ...result, otpId });
    const { options, factorChallenge } = result;
    const isStill = (now: SmsOtpSession): boolean => now.pending?.pendingId === pending?.pendingId;
    const update = await updateSlot(context, req, isStill, (now) =>
      now.pending === undefined ? now : { ...now, pending: { ...now.pending, factorChallenge } },
    );
    if (update === 'login-ended') return refuse({ refusal: LOGIN_ENDED, otpId });
    if (update === 'over') return refuse({ refusal: { reason: 'no-pending-login' }, otpId });
    res.setHeader('Cache-Control', 'no-store');
    res.json(options);
    return false;

    function refuse(refused: SessionRefusal): Promise<false> {
      return finishRefusal(context, req, res, undefined, refused, notVerified);
    }
  }
}
