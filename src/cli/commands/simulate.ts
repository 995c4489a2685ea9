import { once } from 'node:events';
import { GatewaySimulator } from '../../simulator';
import type { Command, CommandCall } from '../command';
import { CommandFailure } from '../failures';
import { readChoice, readWhole } from '../line/read-values';
import { addFaults, FAULT_NOTES } from '../simulated/faults';
import { showSimulator } from '../simulated/show-simulator';

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
