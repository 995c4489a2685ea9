import { once } from 'node:events';
import { type Call, type Fault, type FaultName, GatewaySimulator } from '../../simulator';
import { readChoice, readWhole } from '../args/read-values';
import type { Command, CommandCall } from '../command';
import { CommandFailure, UsageError } from '../failures';

const FAULT_NOTES = [
  'A fault is <call>=<kind>, with *<times> behind it when it is to end: --fault generate=no-answer*2',
  '  calls  any auth generate validate balance pricing lookup hlr-balance hlr-pricing',
  '  kinds  no-answer reset half-answer html-502 redirect latency:<ms> slow-drip:<ms> error:<code> status:<HTTP status>',
  'SMS_OTP_USERNAME and SMS_OTP_PASSWORD are its account, if they are set.',
];

/** Makes calls of the simulator go wrong as the command line says. @throws {UsageError} for what is no fault. */
function addFaults(simulator: GatewaySimulator, texts: readonly string[]): void {
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

/** Tells where the simulator is and how to use it. A password of the user's is not shown; the one in the documents is. */
function showSimulator({ io, screen }: CommandCall, simulator: GatewaySimulator): void {
  const { baseUrl, inboxUrl, variant, username, password } = simulator;
  const { bold, cyan, dim } = screen.style;
  const settings = {
    SMS_OTP_BASE_URL: baseUrl,
    SMS_OTP_VARIANT: variant,
    ...(!io.env.SMS_OTP_USERNAME && { SMS_OTP_USERNAME: username }),
    ...(!io.env.SMS_OTP_PASSWORD && { SMS_OTP_PASSWORD: password }),
  };
  screen.line(bold(`Simulated gateway, variant ${variant}`));
  screen.line();
  screen.line(`  inbox    ${cyan(inboxUrl)}`);
  screen.line(`  gateway  ${cyan(baseUrl)}`);
  screen.line();
  for (const [name, value] of Object.entries(settings)) screen.line(`  ${dim('export')} ${name}=${value}`);
  screen.line();
  screen.line(dim('Texts appear in the inbox. Ctrl+C ends it.'));
}

export const simulate: Command = {
  name: 'simulate',
  summary: 'run a simulated gateway on this machine, with an inbox',
  positionals: [],
  options: {
    variant: { value: '<A|B>', help: 'which of the two interfaces it plays; SMS_OTP_VARIANT, else A' },
    port: { value: '<number>', help: 'where it listens; left out: any free port' },
    balance: { value: '<amount>', help: "the account's money; left out: 100.0000" },
    'no-otp': { help: 'the account may not send codes' },
    'no-lookup': { help: 'the account may not look numbers up' },
    fault: { value: '<fault>', help: 'make calls go wrong', isRepeatable: true },
  },
  notes: FAULT_NOTES,
  async run(call) {
    const simulator = await start(call);
    try {
      addFaults(simulator, call.args.texts('fault'));
      showSimulator(call, simulator);
      if (!call.io.signal.aborted) await once(call.io.signal, 'abort');
    } finally {
      await simulator.close();
    }
    return 0;
  },
};

async function start({ args, io }: CommandCall): Promise<GatewaySimulator> {
  const { SMS_OTP_VARIANT, SMS_OTP_USERNAME: username, SMS_OTP_PASSWORD: password } = io.env;
  const variant = readChoice(args, 'variant', ['A', 'B']) ?? (SMS_OTP_VARIANT === 'B' ? 'B' : 'A');
  const port = readWhole(args, 'port', { min: 0, max: 65_535, standard: 0 });
  const balance = args.text('balance');
  try {
    return await GatewaySimulator.start({
      variant,
      port,
      ...(username && { username }),
      ...(password && { password }),
      ...(balance !== undefined && { balance }),
      maySendOtp: !args.isOn('no-otp'),
      mayLookUp: !args.isOn('no-lookup'),
    });
  } catch (error) {
    throw toFailure(error);
  }
}

/** The simulator's own words show no value. */
function toFailure(error: unknown): CommandFailure {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown };
  if (code === 'EADDRINUSE')
    return new CommandFailure('The port is taken.', 'Leave --port out: any free one is used.');
  if (code === 'EACCES') return new CommandFailure('The port may not be used.', 'Take one above 1023.');
  return new CommandFailure(String(message));
}
