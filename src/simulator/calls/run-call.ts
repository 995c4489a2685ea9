import type { World } from '../world';
import { showBalance, showHlrPricing, showPricing } from './account';
import { authenticate } from './auth';
import type { Call, CallRequest, Handler, Outcome } from './call';
import { generate } from './generate';
import { lookUp } from './lookup';
import { validate } from './validate';

const HANDLERS: Readonly<Record<Call, Handler>> = {
  auth: authenticate,
  generate,
  validate,
  balance: showBalance,
  pricing: showPricing,
  lookup: lookUp,
  'hlr-balance': showBalance,
  'hlr-pricing': showHlrPricing,
};

/** Runs a call: all but auth need a valid access token. OTP spec §5, HLR spec §5. */
export function runCall(world: World, call: Call, takesBody: boolean, request: CallRequest): Outcome {
  const outcome = isAdmitted(world, call, request)
    ? HANDLERS[call](world, request)
    : ({ kind: 'refused', code: 1009 } as const);
  if (outcome.kind === 'done') return outcome;
  world.stats.countRefusal(outcome.code);
  // OTP spec §7: 400 is "often invalid JSON". Not shown in OTP spec §7: the code that comes with it.
  return takesBody && request.body === null && outcome.code !== 1009
    ? { ...outcome, httpStatus: 400 }
    : outcome;
}

function isAdmitted({ tokens }: World, call: Call, { bearer }: CallRequest): boolean {
  return call === 'auth' || (bearer !== null && tokens.isLive(bearer));
}
