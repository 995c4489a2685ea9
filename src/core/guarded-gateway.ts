import { GatewayResponseError, GatewayTimeoutError, readFields, toGatewayError } from '../errors';
import type { LoginGateway, OtpCall, OtpGateway, Permit, PinVerdict, TextedOtp } from '../gateway';
import { waitAtMost } from '../stores/with-timeout';

/** Milliseconds that a gateway of the app has for one call. */
const CALL_TIMEOUT_MS = 10_000;

/** What an answer stands for; null when it is not as documented. */
type Read<Result> = (answer: unknown) => Result | null;

/**
 * Wraps a gateway of the app, whose answers are checked nowhere else: every call has a deadline, is
 * made once, and throws nothing but errors of a gateway and of its store.
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
    // The app asks for it, and gets what it has thrown.
    warmUp: async () => gateway.warmUp?.(),
  };

  async function admit(call: OtpCall): Promise<Permit> {
    const asked = start(() => gateway.admit?.(call));
    try {
      return await settle(call, asked, readPermit, false);
    } catch (error) {
      // One that comes too late would never be released.
      asked.then((late) => readPermit(late)?.release(), doNothing);
      throw error;
    }
  }
}

/** A permit of the app's: what releasing it throws changes nothing. */
class GuardedPermit implements Permit {
  constructor(readonly own: { release(): unknown }) {}

  release(): void {
    start(() => this.own.release()).catch(doNothing);
  }
}

/** A gateway without `admit` admits every call. */
const FREE: Permit = { release: doNothing };

/** The gateway gets back what it has issued. */
function unwrap(permit: Permit | undefined): Permit | undefined {
  return permit instanceof GuardedPermit ? permit.own : undefined;
}

/** Calls a function of the app: one that throws has rejected. */
function start(work: () => unknown): Promise<unknown> {
  return new Promise((resolve) => resolve(work()));
}

/** @param mayHaveArrived Whether the call may have been made when it was not answered in time. */
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
  throw new GatewayResponseError(call, null, 'it is none that an OtpGateway may give');
}

function readPermit(answer: unknown): Permit | null {
  const isPermit = typeof readFields(answer).release === 'function';
  // It has the function.
  return isPermit ? new GuardedPermit(answer as Permit) : null;
}

/** The longest id of a text. */
const MAX_ID_LENGTH = 256;

/** What no decision depends on is null when it is missing or malformed. */
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

/** Neither true nor undefined, nor anything else but the word, says that a code was right. */
function readVerdict(answer: unknown): PinVerdict | null {
  return VERDICTS.find((verdict) => verdict === answer) ?? null;
}

function doNothing(): void {
  // There is nothing to release.
}
