import type { SimulatorState } from '../state';
import { lookUp, showBalance, showHlrPricing, showPricing } from './account';
import { authenticate } from './auth';
import { type Call, type CallRequest, type Outcome, refuse } from './call';
import { generate } from './generate';
import { validate } from './validate';

/** One call as a function of the state it changes. */
type Handler = (state: SimulatorState, request: CallRequest) => Outcome;

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

const CALLS_WITH_BODY: ReadonlySet<Call> = new Set(['auth', 'generate', 'validate']);

/** Runs a call: all but auth require a valid access token. OTP spec §5, HLR spec §5. */
export function runCall(state: SimulatorState, call: Call, request: CallRequest): Outcome {
  const outcome = isAuthorized(state, call, request) ? runAuthorized(state, call, request) : refuse(1009);
  if (outcome.kind === 'refused') state.stats.countRefusal(outcome.code);
  return outcome;
}

/**
 * OTP spec §7: HTTP 400 is "often invalid JSON".
 * Not shown in OTP spec §7: the code that comes with it; it is that of the first field that is missing.
 */
function runAuthorized(state: SimulatorState, call: Call, request: CallRequest): Outcome {
  const outcome = HANDLERS[call](state, request);
  const isUnreadable = CALLS_WITH_BODY.has(call) && request.body === null;
  return outcome.kind === 'refused' && isUnreadable ? { ...outcome, isUnreadable } : outcome;
}

function isAuthorized({ tokens }: SimulatorState, call: Call, { bearer }: CallRequest): boolean {
  return call === 'auth' || (bearer !== null && tokens.isLive(bearer));
}
