import type { Request, RequestHandler, Response } from 'express';
import type { CreateFactorOptions } from '../core/factor-options';
import type { MiddlewareContext } from './context';
import { createFactory } from './factory';
import { finishRefusal, notVerified } from './answer';
import { readVisit } from './visit';

/** Creates `optionsWith` for one factor. */
export function createOptionsWith(
  context: MiddlewareContext,
  createOptions: CreateFactorOptions,
): RequestHandler {
  const { slot } = context;

  return createFactory(context, 'optionsWith', 'smsOtpOptions', answer, {
    refusesEnded: notVerified,
  })();

  async function answer(req: Request, res: Response): Promise<boolean> {
    const { pending } = slot.read(req);
    const result = await createOptions(readVisit(context, req));
    if (result.kind === 'refused')
      return finishRefusal(context, req, res, {}, { ...result, pending }, notVerified);
    res.setHeader('Cache-Control', 'no-store');
    res.json(result.options);
    return false;
  }
}
