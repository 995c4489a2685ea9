import { setTimeout as wait } from 'node:timers/promises';
import {
  GatewayRejectedError,
  GatewayUnreachableError,
  memoryStore,
  type OtpCall,
  type OtpGateway,
  type PinVerdict,
  type SmsOtpStore,
  type TypedPin,
} from 'passport-sms-otp';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import { smsGateway } from 'passport-sms-otp/sms-gateway';
import type { TestClock } from './clock';
import type { Fault } from './gateway-faults';

/** What the tests of an app use of the simulator. */
type Simulated = Pick<
  GatewaySimulator,
  | 'baseUrl'
  | 'username'
  | 'password'
  | 'outbox'
  | 'lastPin'
  | 'failNext'
  | 'clearFaults'
  | 'advanceSeconds'
  | 'stats'
  | 'close'
>;

/** `smsGateway` with a phone in place of the simulator with its outbox. */
export interface SmsProvider {
  readonly gateway: OtpGateway;
  /** Looks to a test like the simulator. */
  readonly sim: GatewaySimulator;
}

/** What a fault of the simulator comes to where there is no gateway on a wire. */
interface Effect {
  readonly isDone: boolean;
  /** Undefined: the answer is lost. Otherwise a rejection that says whether it was done. */
  readonly mayHaveArrived?: boolean;
}

/** Codes of answers that exclude that anything was done: OTP spec §7. */
const NOTHING_DONE: readonly number[] = [2100, 2101, 2102, 2103, 2104, 2105, 2106, 2110, 2121];

/** As the client reads them: a text may be out after an answer of 5xx. */
function effectOf(call: OtpCall, fault: Exclude<Fault, string>): Effect {
  const isDone = 'when' in fault && fault.when === 'after';
  if (fault.kind === 'error') return { isDone, mayHaveArrived: !NOTHING_DONE.includes(fault.code) };
  if (fault.kind !== 'status' || fault.envelope === false) return { isDone };
  const mayHaveArrived = fault.status !== 429 && (call === 'generate' || fault.status !== 503);
  return { isDone, mayHaveArrived };
}

/** Plays the faults of the simulator, as errors of a function of the app. */
class Mishaps {
  #planned: { call: string; fault: Exclude<Fault, string>; times: number }[] = [];

  add(call: string, fault: Fault, times = 1): void {
    this.#planned.push({ call, fault: typeof fault === 'string' ? { kind: fault } : fault, times });
  }

  clear(): void {
    this.#planned = [];
  }

  async play<Result>(call: OtpCall, act: () => Promise<Result>): Promise<Result> {
    const planned = this.#planned.find((one) => one.times > 0 && [call, 'any'].includes(one.call));
    if (planned === undefined) return act();
    planned.times -= 1;
    const { fault } = planned;
    if (fault.kind === 'latency') {
      const result = await act();
      await wait(fault.ms);
      return result;
    }
    const { isDone, mayHaveArrived } = effectOf(call, fault);
    if (isDone) await act();
    if (mayHaveArrived === undefined) throw new GatewayUnreachableError(call, true);
    throw new GatewayRejectedError(call, { httpStatus: 503, mayHaveArrived });
  }
}

/**
 * @param store The one of the app. Default: a memory store.
 * @param close What ends besides.
 */
export function createSmsProvider(
  clock: TestClock,
  store: SmsOtpStore = memoryStore({ now: () => clock.now() }),
  close: () => Promise<void> = () => Promise.resolve(),
): SmsProvider {
  const mishaps = new Mishaps();
  const outbox: GatewaySimulator['outbox'][number][] = [];
  const validatesById: Record<string, number> = {};
  const counts = { generate: 0, validate: 0, sent: 0, validated: 0 };
  const inner = smsGateway({
    sendSms: (mobile, text, { sender = '' }) => {
      counts.generate += 1;
      return mishaps.play('generate', () => {
        const [pin = ''] = /[0-9]{6}/.exec(text) ?? [];
        counts.sent += 1;
        const rest = { id: '', sender, sentAt: clock.now(), cost: '0' };
        return Promise.resolve(outbox.push({ ...rest, mobile, text, pin }));
      });
    },
    store,
    secret: 'a secret of the tests, long enough to be one',
    now: () => clock.now(),
  });
  const validate = (typed: TypedPin): Promise<PinVerdict> => {
    counts.validate += 1;
    validatesById[typed.id] = (validatesById[typed.id] ?? 0) + 1;
    return mishaps.play('validate', async () => {
      const verdict = await inner.validate(typed);
      if (verdict === 'right') counts.validated += 1;
      return verdict;
    });
  };
  const sim: Simulated = {
    baseUrl: 'http://127.0.0.1:9',
    username: 'nobody',
    password: 'is asked for this',
    outbox,
    lastPin: (mobile) => outbox.findLast((text) => text.mobile === mobile)?.pin,
    failNext: (call, fault, times) => mishaps.add(call, fault, times),
    clearFaults: () => mishaps.clear(),
    // Codes live by the clock of the app.
    advanceSeconds: () => undefined,
    stats: () => {
      const none = {
        auth: 0,
        lookup: 0,
        balance: 0,
        pricing: 0,
        'hlr-balance': 0,
        'hlr-pricing': 0,
      };
      return {
        calls: { ...none, generate: counts.generate, validate: counts.validate },
        authentications: { credentials: 0, refresh: 0 },
        sent: counts.sent,
        validated: counts.validated,
        validatesById,
        refusals: {},
        faults: 0,
      };
    },
    close,
  };
  // The tests of an app use nothing else of it.
  return { gateway: { ...inner, validate }, sim: sim as GatewaySimulator };
}

let isChosen = false;

/** From now on the apps of this suite have `smsGateway` in place of the client and simulator. */
export function chooseSmsGateway(): void {
  isChosen = true;
}

/** Whether `chooseSmsGateway` was called in this suite. */
export function isSmsGatewayChosen(): boolean {
  return isChosen;
}
