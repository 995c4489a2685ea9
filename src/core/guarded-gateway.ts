import { GatewayResponseError, GatewayTimeoutError, readFields, toGatewayError } from '../errors';
import type { LoginGateway, OtpCall, OtpGateway, Permit, PinVerdict, TextedOtp } from '../gateway';
import { waitAtMost } from '../stores/with-timeout';

/** Milliseconds that a gateway of the app has for one call. */
const CALL_TIMEOUT_MS = 10_000;

/** Reads an answer; null if it does not follow the documented form. */
type Read<Result> = (answer: unknown) => Result | null;

/**
 * Wraps a gateway of the app, whose answers nothing else checks. Every call has a deadline, is made
 * once, and throws only errors of a gateway or of its store.
 */
export function guardGateway(gateway: OtpGateway): LoginGateway {
  return {
    admit: async (call) => (gateway.admit === undefined ? FREE : admit(call)),
    generate: (text, permit) =>
      settle(
        'generate',
        start(() => gateway.generate(text, unwrap(permit))),
        readTextedOtp,
      ),
    validate: (typed, permit) =>
      settle(
        'validate',
        start(() => gateway.validate(typed, unwrap(permit))),
        readVerdict,
      ),
    // The app calls `warmUp`, so its gateway's own error is passed on.
    warmUp: async () => gateway.warmUp?.(),
  };

  async function admit(call: OtpCall): Promise<Permit> {
    const asked = start(() => gateway.admit?.(call));
    try {
      return await settle(call, asked, readPermit, false);
    } catch (error) {
      // Release a permit that arrives too late: nothing else would.
      asked.then((late) => readPermit(late)?.release(), doNothing);
      throw error;
    }
  }
}

/** A permit of the app's gateway. An error in its release changes nothing. */
class GuardedPermit implements Permit {
  constructor(readonly own: { release(): unknown }) {}

  release(): void {
    start(() => this.own.release()).catch(doNothing);
  }
}

/** The permit of a gateway without `admit`, which admits every call. */
const FREE: Permit = { release: doNothing };

/** Returns the permit that the gateway itself issued. */
function unwrap(permit: Permit | undefined): Permit | undefined {
  return permit instanceof GuardedPermit ? permit.own : undefined;
}

/** Calls a function of the app. If it throws, the promise rejects. */
function start(work: () => unknown): Promise<unknown> {
  return new Promise((resolve) => resolve(work()));
}

/**
 * Waits for a call of the app's gateway until its deadline.
 * @param mayHaveArrived Whether the call may have been made if it is not answered in time.
 */
async function settle<Result>(
  call: OtpCall,
  work: Promise<unknown>,
  read: Read<Result>,
  mayHaveArrived = true,
): Promise<Result> {
  const answer = work.then(read);
  const toTimeout = (): Error => new GatewayTimeoutError(call, CALL_TIMEOUT_MS, mayHaveArrived);
  const toError = (error: unknown): Error => toGatewayError(call, error);
  const result = await waitAtMost(answer, CALL_TIMEOUT_MS, toTimeout, toError);
  if (result !== null) return result;
  throw new GatewayResponseError(call, null, 'an OtpGateway must not return this');
}

function readPermit(answer: unknown): Permit | null {
  const isPermit = typeof readFields(answer).release === 'function';
  // The check before has found its `release` function.
  return isPermit ? new GuardedPermit(answer as Permit) : null;
}

/** The most characters of an OTP id. */
const MAX_ID_LENGTH = 256;

/**
 * Reads a generated OTP. Fields on which no decision depends become null when they are missing or
 * malformed.
 */
function readTextedOtp(answer: unknown): TextedOtp | null {
  const { id, validitySeconds, cost } = readFields(answer);
  if (typeof id !== 'string' || !isId(id)) return null;
  const isLife = typeof validitySeconds === 'number' && validitySeconds > 0;
  const isCost = typeof cost === 'string' && /^-?[0-9]{1,15}(\.[0-9]{1,10})?$/.test(cost);
  return { id, validitySeconds: isLife ? validitySeconds : null, cost: isCost ? cost : null };
}

function isId(id: string): boolean {
  const hasLength = id !== '' && id.length <= MAX_ID_LENGTH;
  return hasLength && id.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(id);
}

const VERDICTS: readonly PinVerdict[] = ['right', 'wrong', 'over'];

/**
 * Reads the result of a check. Only the word `right` says that a code was right: neither `true` nor
 * any other value does.
 */
function readVerdict(answer: unknown): PinVerdict | null {
  return VERDICTS.find((verdict) => verdict === answer) ?? null;
}

function doNothing(): void {
  // Ignore the rejection: no permit was issued, so there is nothing to release.
}
