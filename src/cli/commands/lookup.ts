import { type Command, type CommandCall, type ExitCode, JSON_OPTION, YES_OPTION } from '../command';
import { UsageError } from '../failures';
import { GATEWAY_OPTIONS, withGateway } from '../gateway';
import { toResult } from '../lookups/lookup-all';
import { lookUpFile } from '../lookups/lookup-file';
import { askForMoney, readMobile } from '../read-values';
import { cleanText } from '../terminal';

const FILE_OPTIONS = {
  in: { value: '<file>', help: 'a CSV file with numbers, instead of one number' },
  out: { value: '<file>', help: 'the CSV file that results are appended to' },
  column: { value: '<name>', help: 'the column of the numbers; default: phone, mobile, number, …' },
  budget: { value: '<amount>', help: 'the most that a file may cost' },
  rate: { value: '<number>', help: 'lookups per second, 1 to 100; default: 10' },
};

export const lookup: Command = {
  name: 'lookup',
  summary: 'show what the network knows about a number, or about all in a file; costs money',
  positionals: ['[number]'],
  options: { ...FILE_OPTIONS, ...YES_OPTION, ...JSON_OPTION, ...GATEWAY_OPTIONS },
  notes: [
    'Numbers that the output already has are skipped, so a run that ended early continues where it stopped:',
    '  lookup --in people.csv --out lookups.csv --budget 5',
  ],
  async run(call) {
    const [number] = call.args.positionals;
    if (number === undefined) return lookUpFile(call);
    const unused = Object.keys(FILE_OPTIONS).find((name) => call.args.isOn(name));
    if (unused !== undefined) throw new UsageError(`--${unused} is for files, not for one number`);
    return lookUpOne(call, readMobile(number));
  },
};

function lookUpOne(call: CommandCall, mobile: string): Promise<ExitCode> {
  return withGateway<ExitCode>(call, async ({ hlr }) => {
    await askForMoney(call, `Look ${mobile} up? It costs money.`);
    const { error: _, ...result } = toResult(await hlr.lookup(mobile));
    if (call.args.isOn('json')) {
      call.output.json(result);
      return 0;
    }
    for (const [field, value] of Object.entries(result)) {
      const label = field === 'advancedStatus' ? 'advanced status' : field;
      if (value !== null) call.output.line(`${call.output.style.dim(label.padEnd(16))}${cleanText(value)}`);
    }
    return 0;
  });
}
