import { GatewayRejectedError, type HlrCalls, type Lookup } from '../../client';
import {
  type Command,
  type CommandCall,
  type ExitCode,
  findMobile,
  JSON_OPTION,
  readMobile,
  toJson,
  YES_OPTION,
} from '../command';
import { adviseOnCode, CommandFailure, WrongUsage } from '../failures';
import { GATEWAY_OPTIONS, withGateway } from '../gateway';

export const lookup: Command = {
  name: 'lookup',
  summary: 'show what the network knows about numbers; costs money',
  positionals: ['[number …]'],
  options: { ...YES_OPTION, ...JSON_OPTION, ...GATEWAY_OPTIONS },
  notes: [
    'Without arguments it reads one number per line from standard input, after the password if ' +
      '--password-stdin',
    'is given. --json writes one line per number:',
    '  lookup --yes --json < numbers.txt > found.jsonl',
  ],
  run: (call) =>
    withGateway(call, async (client) => {
      const mobiles = await readMobiles(call);
      await call.askForMoney(toQuestion(mobiles));
      return lookUpAll(call, client.hlr, mobiles);
    }),
};

/** Returns each number once. Reads all of them before any lookup is paid for. */
async function readMobiles(call: CommandCall): Promise<readonly string[]> {
  const { args, io } = call;
  if (args.positionals.length > 0) return [...new Set(args.positionals.map(readMobile))];
  if (io.stdin.isTTY === true)
    throw new WrongUsage('lookup needs a number, or standard input: lookup < numbers.txt');
  return readInput(call.readLine);
}

/** @throws {WrongUsage} for the first line that is not a number. */
async function readInput(readLine: CommandCall['readLine']): Promise<readonly string[]> {
  const mobiles = new Set<string>();
  let lineNumber = 0;
  for (let line = await readLine(); line !== null; line = await readLine()) {
    lineNumber += 1;
    if (line === '') continue;
    const mobile = findMobile(line);
    if (mobile === null) {
      throw new WrongUsage(
        `line ${lineNumber} of standard input is not a number such as +12025550123`,
        'Nothing was looked up. The command numbers finds all such lines.',
      );
    }
    mobiles.add(mobile);
  }

  if (mobiles.size === 0) throw new CommandFailure('Standard input had no number.');
  return [...mobiles];
}

function toQuestion(mobiles: readonly string[]): string {
  const [mobile, ...others] = mobiles;
  const what = others.length === 0 ? mobile : `${mobiles.length} numbers`;
  return `Look up ${what}? It costs money.`;
}

/**
 * Looks up numbers one after the other, and writes each result before the next one is paid for.
 * Returns 1 if the gateway has rejected a number.
 */
async function lookUpAll(
  call: CommandCall,
  hlr: HlrCalls,
  mobiles: readonly string[],
): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  for (const [index, mobile] of mobiles.entries()) {
    const found = await lookUp(hlr, mobile);
    if (call.args.isOn('json')) {
      call.output.line(toJson(found, 0));
    } else {
      if (index > 0) call.output.line('');
      showFound(call.output, found);
    }

    if ('gatewayCode' in found) exitCode = 1;
  }
  return exitCode;
}

/** The result of a lookup, as it is shown. */
type Found =
  | Omit<Lookup, 'imsi' | 'msc'>
  // The gateway rejected the number.
  | Readonly<{ phone: string; gatewayCode: number }>;

/** HLR spec §7: codes that reject the number itself. */
const NUMBER_REFUSED = [1221, 2003, 2005];

/** Looks up one number. A rejected number is a result, because the others may be good. */
async function lookUp(hlr: HlrCalls, phone: string): Promise<Found> {
  try {
    const { status, advancedStatus, country, operator, mcc, mnc, cost } = await hlr.lookup(phone);
    // Leave out IMSI and MSC: they identify the subscriber and the switch that serves the number.
    return { phone, status, advancedStatus, country, operator, mcc, mnc, cost };
  } catch (error) {
    const gatewayCode = error instanceof GatewayRejectedError ? (error.gatewayCode ?? 0) : 0;
    if (!NUMBER_REFUSED.includes(gatewayCode)) throw error;
    return { phone, gatewayCode };
  }
}

const LABELS: Readonly<Record<string, string>> = {
  advancedStatus: 'advanced status',
  gatewayCode: 'refused',
};

/** Writes a result as labels and values. */
function showFound(output: CommandCall['output'], found: Found): void {
  for (const [field, value] of Object.entries<string | number | null>(found)) {
    const shown = typeof value === 'number' ? adviseOnCode(value) : value;
    const label = (LABELS[field] ?? field).padEnd(16);
    if (shown !== null) output.line(`${output.style('dim', label)}${shown}`);
  }
}
