import { askForMoney } from '../args/ask';
import { readMobile } from '../args/read-values';
import { type Command, type CommandCall, type ExitCode, JSON_OPTION, YES_OPTION } from '../command';
import { UsageError } from '../failures';
import { GATEWAY_OPTIONS, withGateway } from '../gateway/with-gateway';
import { lookUpFile } from '../lookups/lookup-file';
import { toResult } from '../lookups/lookup-number';
import { cleanText } from '../output/screen';

const FILE_OPTIONS = {
  in: { value: '<file>', help: 'a CSV file with numbers, instead of one number' },
  out: { value: '<file>', help: 'the CSV file that results are added to' },
  column: { value: '<name>', help: 'the column of the numbers; left out: phone, mobile, number, …' },
  budget: { value: '<amount>', help: 'the most that a file may cost' },
  rate: { value: '<number>', help: 'lookups per second, 1 to 100; left out: 10' },
};

export const lookup: Command = {
  name: 'lookup',
  summary: 'what the network knows of a number, or of all in a file; costs money',
  positionals: ['[number]'],
  options: { ...FILE_OPTIONS, ...YES_OPTION, ...JSON_OPTION, ...GATEWAY_OPTIONS },
  notes: [
    'Numbers that the output has already are skipped, so that a run that ended early goes on where it was:',
    '  lookup --in people.csv --out lookups.csv --budget 5',
  ],
  async run(call) {
    const [number] = call.args.positionals;
    if (number === undefined) return lookUpFile(call);
    const useless = Object.keys(FILE_OPTIONS).find((name) => call.args.isOn(name));
    if (useless !== undefined) throw new UsageError(`--${useless} is for files, not for one number`);
    return lookUpOne(call, readMobile(number));
  },
};

function lookUpOne(call: CommandCall, mobile: string): Promise<ExitCode> {
  return withGateway<ExitCode>(call, async ({ hlr }) => {
    await askForMoney(call, `Look ${mobile} up? It costs money.`);
    const { error: _, ...result } = toResult(await hlr.lookup(mobile));
    if (call.args.isOn('json')) call.screen.json(result);
    else {
      const { dim } = call.screen.style;
      const known = Object.entries(result).flatMap(([name, value]) =>
        value === null ? [] : [[name, value]],
      );
      for (const [name = '', value = ''] of known) {
        call.screen.line(`${dim(name.replace('_', ' ').padEnd(16))}${cleanText(value)}`);
      }
    }
    return 0;
  });
}
