import { once } from 'node:events';
import { type Call, type Fault, type FaultName, GatewaySimulator } from '../../simulator';
import { type Command, type CommandCall, readChoice, readMobile } from '../command';
import { toStartFailure, WrongUsage } from '../failures';

/** Adds a fault from the command line to the simulator. @throws {WrongUsage} if it is invalid. */
function addFault(simulator: GatewaySimulator, text: string): void {
  const form =
    /^(?<call>[a-z-]+)=(?<kind>[a-z\d-]+)(?::(?<figure>\d{1,7}))?(?:\*(?<times>[1-9]\d{0,6}))?$/;
  const { call, kind, figure, times = Infinity } = form.exec(text)?.groups ?? {};
  if (call === undefined || kind === undefined)
    throw new WrongUsage('--fault must be <call>=<kind>, such as generate=no-answer*2');

  try {
    // Pass them unchecked: the simulator checks calls and kinds.
    simulator.failNext(call as Call | 'any', toFault(kind, figure), Number(times));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new WrongUsage('--fault has an unknown call or kind, or an invalid number; see --help');
  }
}

function toFault(kind: string, figure: string | undefined): Fault | FaultName {
  // Pass an unknown kind on: the simulator refuses it.
  if (figure === undefined) return kind as FaultName;
  if (kind === 'latency') return { kind, ms: Number(figure) };
  if (kind === 'slow-drip') return { kind, intervalMs: Number(figure) };
  if (kind === 'error') return { kind, code: Number(figure) };
  if (kind === 'status') return { kind, status: Number(figure) };
  throw new WrongUsage('--fault: only latency, slow-drip, error and status take a number');
}

/**
 * Shows the simulator's addresses and account. A password set by the user is not shown, the default
 * one is.
 */
function showSimulator(call: CommandCall, simulator: GatewaySimulator): void {
  const { env } = call.io;
  const { baseUrl, variant } = simulator;
  const { line, style } = call.output;
  const settings = {
    SMS_OTP_BASE_URL: baseUrl,
    SMS_OTP_VARIANT: variant,
    ...(!env.SMS_OTP_USERNAME && { SMS_OTP_USERNAME: simulator.username }),
    ...(!env.SMS_OTP_PASSWORD && { SMS_OTP_PASSWORD: simulator.password }),
  };

  line(style('bold', `Simulated gateway, variant ${variant}`));
  line('');
  line(`  inbox    ${style('cyan', simulator.inboxUrl)}`);
  line(`  gateway  ${style('cyan', baseUrl)}`);
  line('');
  for (const [name, value] of Object.entries(settings))
    line(`  ${style('dim', 'export')} ${name}=${value}`);
  line('');
  line(style('dim', 'Messages appear in the inbox. Press Ctrl+C to stop.'));
}

export const simulate: Command = {
  name: 'simulate',
  summary: 'run a simulated gateway on this machine, with an inbox',
  options: {
    variant: { value: '<A|B>', help: 'the variant of the gateway; default: SMS_OTP_VARIANT, or A' },
    port: { value: '<number>', help: 'the port to listen on; default: any free port' },
    balance: { value: '<amount>', help: "the account's balance; default: 100.0000" },
    'no-otp': { help: 'the account may not send codes' },
    'no-lookup': { help: 'the account may not look numbers up' },
    'fixed-pin': {
      value: '<number>=<pin>',
      help: 'the pin that this number always gets',
      isRepeatable: true,
    },
    fault: { value: '<fault>', help: 'make calls fail', isRepeatable: true },
  },
  notes: [
    'A fault is <call>=<kind>; *<times> after it limits how often: --fault generate=no-answer*2',
    '  calls  any auth generate validate balance pricing lookup hlr-balance hlr-pricing',
    '  kinds  no-answer reset half-answer html-502 redirect latency:<ms> slow-drip:<ms> ' +
      'error:<code> status:<HTTP status>',
    'SMS_OTP_USERNAME and SMS_OTP_PASSWORD set its account.',
  ],
  async run(call) {
    const simulator = await start(call);

    try {
      for (const text of call.args.texts('fault')) addFault(simulator, text);
      showSimulator(call, simulator);
      if (!call.io.signal.aborted) await once(call.io.signal, 'abort');
    } finally {
      await simulator.close();
    }
    return 0;
  },
};

function readPin(text: string): readonly [mobile: string, pin: string] {
  const [number = '', pin = ''] = text.split('=');
  if (!/^[0-9]{4,10}$/.test(pin))
    throw new WrongUsage('--fixed-pin must be <number>=<pin of 4 to 10 digits>');
  return [readMobile(number), pin];
}

async function start(call: CommandCall): Promise<GatewaySimulator> {
  const { args } = call;
  const { SMS_OTP_VARIANT, SMS_OTP_USERNAME: username, SMS_OTP_PASSWORD: password } = call.io.env;
  const variant =
    readChoice('--variant', args.text('variant'), ['A', 'B']) ??
    (SMS_OTP_VARIANT === 'B' ? 'B' : 'A');
  const port = args.whole('port', { min: 0, max: 65_535, fallback: 0 });
  const balance = args.text('balance');
  const fixedPins = Object.fromEntries(args.texts('fixed-pin').map(readPin));

  try {
    return await GatewaySimulator.start({
      variant,
      port,
      ...(username && { username }),
      ...(password && { password }),
      ...(balance !== undefined && { balance }),
      fixedPins,
      maySendOtp: !args.isOn('no-otp'),
      mayLookUp: !args.isOn('no-lookup'),
    });
  } catch (error) {
    throw toStartFailure(error, 'Omit --port to use any free one.');
  }
}
