import { resolve } from 'node:path';
import { toDecimal } from '../../policies/spend-limits/micros';
import type { CommandCall, ExitCode } from '../command';
import { explain, UsageError } from '../failures';
import { withGateway } from '../gateway';
import { askForMoney, readAmount, readWhole } from '../read-values';
import { type InputNumbers, openResultFile, readDoneNumbers, readInputNumbers } from './csv-files';
import {
  Budget,
  createLookupPrices,
  createPace,
  lookUpAll,
  type LookupPrice,
  type RunResult,
  type StopReason,
} from './lookup-all';

const RATE = { min: 1, max: 100, fallback: 10 };

/** Looks up the numbers of one CSV file and appends the results to another. */
export async function lookUpFile(call: CommandCall): Promise<ExitCode> {
  const rate = readWhole(call.args, 'rate', RATE);
  const plan = await makePlan(call);
  const run = plan.mobiles.length === 0 ? null : await runPlan(call, plan, rate);
  return showRun(call, plan, run);
}

/** What there is to do, before anything is done. */
interface Plan {
  readonly input: InputNumbers;
  /** The numbers that the output does not have yet. */
  readonly mobiles: readonly string[];
  /** How many it has. */
  readonly known: number;
  readonly outputPath: string;
  readonly isNew: boolean;
  readonly budgetMicros: number;
}

async function makePlan({ args, io }: CommandCall): Promise<Plan> {
  const [inputName, outputName] = [args.text('in'), args.text('out')];
  const budgetMicros = readAmount(args, 'budget');
  if (inputName === undefined || outputName === undefined) {
    throw new UsageError('--in and --out belong together');
  }
  if (budgetMicros === undefined) throw new UsageError('a file needs --budget, the most that may be spent');
  const [inputPath, outputPath] = [resolve(io.folder, inputName), resolve(io.folder, outputName)];
  if (inputPath === outputPath) throw new UsageError('--in and --out must be different files');
  const input = await readInputNumbers(inputPath, args.text('column'));
  const done = await readDoneNumbers(outputPath);
  const mobiles = input.mobiles.filter((mobile) => !done.has(mobile));
  const known = input.mobiles.length - mobiles.length;
  return { input, mobiles, known, outputPath, isNew: done.size === 0, budgetMicros };
}

interface FinishedRun {
  readonly result: RunResult;
  readonly spentMicros: number;
}

function runPlan(call: CommandCall, plan: Plan, rate: number): Promise<FinishedRun> {
  return withGateway(
    call,
    async ({ hlr }) => {
      const { pricing } = await hlr.pricing();
      const priceOf = createLookupPrices(pricing);
      await askForMoney(call, toQuestion(plan, priceOf));
      const budget = new Budget(plan.budgetMicros);
      const file = openResultFile(plan.outputPath, plan.isNew);
      const total = plan.mobiles.length;
      try {
        const result = await lookUpAll({
          ...{ mobiles: plan.mobiles, hlr, priceOf, budget, signal: call.io.signal },
          awaitTurn: createPace(rate, call.io),
          add: (row) => file.add(row),
          onProgress: (done) => call.output.progress(`${done}/${total}  ${toDecimal(budget.spent)}`),
        });
        return { result, spentMicros: budget.spent };
      } finally {
        call.output.progress('');
        file.close();
      }
    },
    'finish',
  );
}

function toQuestion({ mobiles, budgetMicros }: Plan, priceOf: LookupPrice): string {
  const most = mobiles.reduce((sum, mobile) => sum + priceOf(mobile), 0);
  const count = mobiles.length === 1 ? '1 number' : `${mobiles.length} numbers`;
  return `Look up ${count}? It costs at most ${toDecimal(Math.min(most, budgetMicros))}.`;
}

/** Shows the result: 0 when every number is known now. @param run Null when there was nothing to do. */
function showRun({ args, output }: CommandCall, plan: Plan, run: FinishedRun | null): ExitCode {
  const result = run?.result;
  const spent = toDecimal(run?.spentMicros ?? 0);
  const left = plan.mobiles.length - (result?.done ?? 0);
  if (args.isOn('json')) {
    const { invalidLines, duplicates } = plan.input;
    const byStatus = Object.fromEntries(result?.byStatus ?? []);
    const counts = { done: result?.done ?? 0, byStatus, known: plan.known, duplicates, invalidLines };
    output.json({ ...counts, spent, left, stop: result?.stop ?? null });
  } else {
    for (const [name, figure, text] of toLines(plan, result, spent, left)) {
      output.line(`${output.style.dim(name.padEnd(11))}${figure.padStart(7)}  ${text}`.trimEnd());
    }
  }
  if (result?.lastError != null) {
    const { message, advice } = explain(result.lastError);
    output.note(`${output.noteStyle.yellow('warning')}  ${message}`);
    if (advice !== null) output.note(`         ${advice}`);
  }
  return left === 0 ? 0 : 1;
}

const STOP_TEXTS: Readonly<Record<StopReason, string>> = {
  interrupted: 'stopped by Ctrl+C; run it again to continue',
  budget: 'the budget is spent; run it again with another one to continue',
  failures: 'too many lookups failed; run it again when the cause is fixed',
};

type Line = readonly [name: string, figure: string, text: string];

function toLines({ input, known }: Plan, run: RunResult | undefined, spent: string, left: number): Line[] {
  const { duplicates, invalidLines } = input;
  const statuses = Array.from(run?.byStatus ?? [], ([status, count]) => `${count} ${status}`);
  const lines: Line[] = [
    ['looked up', String(run?.done ?? 0), statuses.join(', ')],
    ['spent', spent, ''],
  ];
  if (known > 0) lines.push(['known', String(known), 'already in the output']);
  if (duplicates > 0) lines.push(['duplicates', String(duplicates), 'more than once in the input']);
  if (invalidLines.length > 0) {
    lines.push(['invalid', String(invalidLines.length), nameLines(invalidLines)]);
  }
  if (left > 0) lines.push(['left', String(left), STOP_TEXTS[run?.stop ?? 'failures']]);
  return lines;
}

const MAX_SHOWN_LINES = 8;

function nameLines(lines: readonly number[]): string {
  const shown = lines.slice(0, MAX_SHOWN_LINES).join(', ');
  return `no number in line ${shown}${lines.length > MAX_SHOWN_LINES ? ', …' : ''}`;
}
