import type { Call, Fault, FaultName, GatewaySimulator } from '../../simulator';
import { UsageError } from '../failures';

export const FAULT_NOTES = [
  'A fault is <call>=<kind>, with *<times> behind it when it is to end: --fault generate=no-answer*2',
  '  calls  any auth generate validate balance pricing lookup hlr-balance hlr-pricing',
  '  kinds  no-answer reset half-answer html-502 redirect latency:<ms> slow-drip:<ms> error:<code> status:<HTTP status>',
  'SMS_OTP_USERNAME and SMS_OTP_PASSWORD are its account, if they are set.',
];

/** Makes calls of the simulator go wrong as the command line says. @throws {UsageError} for what is no fault. */
export function addFaults(simulator: GatewaySimulator, texts: readonly string[]): void {
  for (const text of texts) {
    const { call, fault, times } = readFault(text);
    try {
      // The simulator checks calls and faults itself, and says what it knows.
      simulator.failNext(call as Call | 'any', fault, times);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new UsageError('--fault has a call, a kind or a figure that is unknown; --help lists them');
    }
  }
}

interface ReadFault {
  readonly call: string;
  readonly fault: Fault | FaultName;
  readonly times: number;
}

function readFault(text: string): ReadFault {
  const match = /^([a-z-]+)=([a-z0-9-]+)(?::([0-9]{1,7}))?(?:\*([1-9][0-9]{0,6}))?$/.exec(text);
  if (match === null) throw new UsageError('--fault must be <call>=<kind>, such as generate=no-answer*2');
  const [, call = '', kind = '', figure, times] = match;
  return { call, fault: toFault(kind, figure), times: times === undefined ? Infinity : Number(times) };
}

function toFault(kind: string, figure: string | undefined): Fault | FaultName {
  // What is no kind is found out by the simulator.
  if (figure === undefined) return kind as FaultName;
  const value = Number(figure);
  if (kind === 'latency') return { kind, ms: value };
  if (kind === 'slow-drip') return { kind, intervalMs: value };
  if (kind === 'error') return { kind, code: value };
  if (kind === 'status') return { kind, status: value };
  throw new UsageError('--fault: only latency, slow-drip, error and status take a figure');
}
