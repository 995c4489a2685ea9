import { resolve } from 'node:path';
import { toDecimal } from '../../policies/spend-limits/micros';
import {
  type Command,
  type CommandCall,
  type ExitCode,
  JSON_OPTION,
  readMobile,
  YES_OPTION,
} from '../command';
import { explain, UsageError } from '../failures';
import { GATEWAY_OPTIONS, withGateway } from '../gateway';
import { openResultFile, readDoneNumbers, readInputNumbers } from '../lookups/line-files';
import {
  createLookupPrices,
  createPace,
  lookUpAll,
  type RunOptions,
  type RunResult,
  type StopReason,
  toResult,
} from '../lookups/lookup-all';

const FILE_OPTIONS = {
  in: { value: '<file>', help: 'a file with one number a line; - is standard input' },
  out: { value: '<file>', help: 'the file that results are appended to, as one JSON line each' },
  budget: { value: '<amount>', help: 'the most that a file may cost' },
  rate: { value: '<number>', help: 'lookups per second, 1 to 100; default: 10' },
};

export const lookup: Command = {
  name: 'lookup',
  summary: 'show what the network knows about a number, or about all in a file; costs money',
  positionals: ['[number]'],
  options: { ...FILE_OPTIONS, ...YES_OPTION, ...JSON_OPTION, ...GATEWAY_OPTIONS },
  notes: [
    'Numbers that the output already has are skipped, so a run that ended early continues where ' +
      'it stopped:',
    '  lookup --in numbers.txt --out lookups.jsonl --budget 5',
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
  return withGateway(call, async ({ hlr }) => {
    await call.askForMoney(`Look ${mobile} up? It costs money.`);
    const { error: _, ...result } = toResult(await hlr.lookup(mobile));
    call.showResult(result, () => {
      for (const [field, value] of Object.entries(result)) {
        const label = (field === 'advancedStatus' ? 'advanced status' : field).padEnd(16);
        if (value !== null) call.output.line(`${call.output.style('dim', label)}${value}`);
      }
    });
    return 0;
  });
}

/** Looks up the numbers of a file or of standard input, and appends the results to a file. */
async function lookUpFile(call: CommandCall): Promise<ExitCode> {
  const rate = call.args.whole('rate', { min: 1, max: 100, fallback: 10 });
  const plan = await makePlan(call);
  const run = plan.mobiles.length === 0 ? null : await runPlan(call, plan, rate);
  return showRun(call, plan, run);
}

/** What there is to do, before anything is done. */
type Plan = Readonly<Awaited<ReturnType<typeof makePlan>>>;

async function makePlan({ args, io }: CommandCall) {
  const [inputName, outputName] = [args.text('in'), args.text('out')];
  const budgetMicros = args.amount('budget');
  if (inputName === undefined || outputName === undefined)
    throw new UsageError('--in and --out belong together');
  if (budgetMicros === undefined)
    throw new UsageError('a file needs --budget, the most that may be spent');
  const isPiped = inputName === '-';
  if (isPiped && args.isOn('password-stdin'))
    throw new UsageError('--in - and --password-stdin both read standard input');
  const [inputPath, outputPath] = [resolve(io.folder, inputName), resolve(io.folder, outputName)];
  if (inputPath === outputPath) throw new UsageError('--in and --out must be different files');
  const input = await readInputNumbers(isPiped ? io.stdin : inputPath);
  const done = await readDoneNumbers(outputPath);
  // The numbers that the output does not have yet, and how many it has.
  const mobiles = input.mobiles.filter((mobile) => !done.has(mobile));
  const known = input.mobiles.length - mobiles.length;
  return { input, mobiles, known, outputPath, budgetMicros };
}

function runPlan(call: CommandCall, plan: Plan, rate: number): Promise<RunResult> {
  return withGateway(
    call,
    async ({ hlr }) => {
      const { pricing } = await hlr.pricing();
      const priceOf = createLookupPrices(pricing);
      await call.askForMoney(toQuestion(plan, priceOf));
      const file = openResultFile(plan.outputPath);
      const total = plan.mobiles.length;
      try {
        return await lookUpAll({
          ...{
            mobiles: plan.mobiles,
            hlr,
            priceOf,
            budget: plan.budgetMicros,
            signal: call.io.signal,
          },
          awaitTurn: createPace(rate, call.io),
          add: (result) => file.add(result),
          onProgress: (done, spent) =>
            call.output.progress(`${done}/${total}  spent ${toDecimal(spent)}`),
        });
      } finally {
        call.output.progress('');
        file.close();
      }
    },
    'finish',
  );
}

function toQuestion({ mobiles, budgetMicros }: Plan, priceOf: RunOptions['priceOf']): string {
  const most = mobiles.reduce((sum, mobile) => sum + priceOf(mobile), 0);
  const count = mobiles.length === 1 ? '1 number' : `${mobiles.length} numbers`;
  return `Look up ${count}? It costs at most ${toDecimal(Math.min(most, budgetMicros))}.`;
}

/**
 * Shows the result: 0 when every number is known now. @param run Null when there was nothing to do.
 */
function showRun(call: CommandCall, plan: Plan, run: RunResult | null): ExitCode {
  const { line, note, style, noteStyle } = call.output;
  const { input, known } = plan;
  const {
    done = 0,
    byStatus = new Map<string, number>(),
    lastError = null,
    stop = null,
  } = run ?? {};
  const spent = toDecimal(run?.spent ?? 0);
  const left = plan.mobiles.length - done;
  const counts = { done, byStatus: Object.fromEntries(byStatus), known };
  const { duplicates, invalidLines } = input;
  call.showResult({ ...counts, duplicates, invalidLines, spent, left, stop }, () => {
    const statuses = Array.from(byStatus, ([status, count]) => `${count} ${status}`);
    const show = (name: string, figure: number | string, text: string): void =>
      line(`${style('dim', name.padEnd(11))}${String(figure).padStart(7)}  ${text}`.trimEnd());
    show('looked up', done, statuses.join(', '));
    show('spent', spent, lastError !== null || byStatus.has('refused') ? AT_MOST : '');
    if (known > 0) show('known', known, 'already in the output');
    if (duplicates > 0) show('duplicates', duplicates, 'more than once in the input');
    if (invalidLines.length > 0) show('invalid', invalidLines.length, nameLines(invalidLines));
    if (left > 0) show('left', left, STOP_TEXTS[stop ?? 'failures']);
  });
  if (lastError !== null) {
    const { message, advice } = explain(lastError);
    note(`${noteStyle('yellow', 'warning')}  ${message}`);
    if (advice !== null) note(`         ${advice}`);
  }
  return left === 0 ? 0 : 1;
}

const STOP_TEXTS: Readonly<Record<StopReason, string>> = {
  interrupted: 'stopped by Ctrl+C; run it again to continue',
  budget: 'the budget is spent; run it again with another one to continue',
  failures: 'too many lookups failed; run it again when the cause is fixed',
};

/** Not shown in HLR spec §8: whether a refused or lost lookup costs. */
const AT_MOST = 'at most: refused and lost lookups are counted as paid';

const MAX_SHOWN_LINES = 8;

function nameLines(lines: readonly number[]): string {
  const shown = lines.slice(0, MAX_SHOWN_LINES).join(', ');
  return `no number in line ${shown}${lines.length > MAX_SHOWN_LINES ? ', …' : ''}`;
}
