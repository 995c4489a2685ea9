import { resolve } from 'node:path';
import { toDecimal } from '../../policies/spend-limits/micros';
import { askForMoney } from '../args/ask';
import { readAmount, readWhole } from '../args/read-values';
import type { CommandCall, ExitCode } from '../command';
import { explain } from '../explain';
import { UsageError } from '../failures';
import { withGateway } from '../gateway/with-gateway';
import { createProgressBar } from '../output/progress-bar';
import { type InputNumbers, openResultFile, readDoneNumbers, readInputNumbers } from './csv-files';
import {
  Budget,
  createLookupPrices,
  createPace,
  lookUpAll,
  type PriceOfLookup,
  type RunResult,
  type Stop,
} from './lookup-all';

/** What there is to tell at the end. */
export interface RunSummary {
  /** Null: there was nothing to do. */
  readonly run: RunResult | null;
  readonly asked: number;
  readonly known: number;
  readonly duplicates: number;
  readonly oddLines: readonly number[];
  readonly spentMicros: number;
}

const STOPS: Readonly<Record<Stop, string>> = {
  interrupted: 'stopped by Ctrl+C; run it again to go on',
  budget: 'the budget is spent; run it again with another one to go on',
  failures: 'too much failed; run it again when the cause is gone',
};

const SHOWN_LINES = 8;

/** Shows what a run has come to: 0 when every number is known now. */
function showRun({ args, screen }: CommandCall, summary: RunSummary): ExitCode {
  const { run, asked, known, duplicates, oddLines, spentMicros } = summary;
  const done = run?.done ?? 0;
  const left = asked - done;
  if (args.isOn('json')) {
    const byStatus = Object.fromEntries(run?.byStatus ?? []);
    const spent = toDecimal(spentMicros);
    screen.json({ done, byStatus, known, duplicates, oddLines, spent, left, stop: run?.stop ?? null });
  } else {
    for (const [name, figure, text] of toLines(summary, left)) {
      screen.line(`${screen.style.dim(name.padEnd(11))}${figure.padStart(7)}  ${text}`.trimEnd());
    }
  }
  if (run?.lastError != null) {
    const { message, advice } = explain(run.lastError);
    screen.note(
      `${screen.noteStyle.yellow('warning')}  ${message}${advice === null ? '' : `\n         ${advice}`}`,
    );
  }
  return left === 0 ? 0 : 1;
}

/** Name, figure, words. */
type Line = readonly [name: string, figure: string, text: string];

function toLines({ run, known, duplicates, oddLines, spentMicros }: RunSummary, left: number): Line[] {
  const statuses = Array.from(run?.byStatus ?? [], ([status, count]) => `${count} ${status}`);
  const lines: Line[] = [
    ['looked up', String(run?.done ?? 0), statuses.join(', ')],
    ['spent', toDecimal(spentMicros), ''],
  ];
  if (known > 0) lines.push(['known', String(known), 'in the output already']);
  if (duplicates > 0) lines.push(['twice', String(duplicates), 'in the input more than once']);
  if (oddLines.length > 0) lines.push(['odd', String(oddLines.length), nameLines(oddLines)]);
  if (left > 0) lines.push(['left', String(left), STOPS[run?.stop ?? 'failures']]);
  return lines;
}

function nameLines(lines: readonly number[]): string {
  const shown = lines.slice(0, SHOWN_LINES).join(', ');
  return `no number in line ${shown}${lines.length > SHOWN_LINES ? ', …' : ''}`;
}

/** What is to be done, before anything is. */
interface Plan {
  readonly input: InputNumbers;
  readonly mobiles: readonly string[];
  readonly known: number;
  readonly outputPath: string;
  readonly isNew: boolean;
  readonly budgetMicros: number;
}

const RATE = { min: 1, max: 100, standard: 10 };

/** Looks up the numbers of one CSV file and adds what is known of them to another. */
export async function lookUpFile(call: CommandCall): Promise<ExitCode> {
  const rate = readWhole(call.args, 'rate', RATE);
  const plan = await makePlan(call);
  const run = plan.mobiles.length === 0 ? null : await runPlan(call, plan, rate);
  return showRun(call, {
    ...{ run: run?.result ?? null, spentMicros: run?.spentMicros ?? 0, known: plan.known },
    ...{ oddLines: plan.input.oddLines, duplicates: plan.input.duplicates, asked: plan.mobiles.length },
  });
}

async function makePlan({ args, io }: CommandCall): Promise<Plan> {
  const [input, output, budgetMicros] = [args.text('in'), args.text('out'), readAmount(args, 'budget')];
  if (input === undefined || output === undefined) throw new UsageError('--in and --out belong together');
  if (budgetMicros === undefined) throw new UsageError('a file needs --budget, the most that may be spent');
  const [inputPath, outputPath] = [resolve(io.folder, input), resolve(io.folder, output)];
  if (inputPath === outputPath) throw new UsageError('--in and --out must be different files');
  const numbers = await readInputNumbers(inputPath, args.text('column'));
  const known = await readDoneNumbers(outputPath);
  const mobiles = numbers.mobiles.filter((mobile) => !known.has(mobile));
  return {
    ...{ input: numbers, mobiles, outputPath, budgetMicros },
    known: numbers.mobiles.length - mobiles.length,
    isNew: known.size === 0,
  };
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
      const bar = createProgressBar(call.io);
      const total = plan.mobiles.length;
      try {
        const result = await lookUpAll({
          ...{ mobiles: plan.mobiles, hlr, priceOf, budget, signal: call.io.signal },
          awaitTurn: createPace(rate, call.io),
          add: (row) => file.add(row),
          onProgress: (done) => bar.show(done / total, `${done}/${total}  ${toDecimal(budget.spent)}`),
        });
        return { result, spentMicros: budget.spent };
      } finally {
        bar.end();
        file.close();
      }
    },
    'finish',
  );
}

function toQuestion({ mobiles, budgetMicros }: Plan, priceOf: PriceOfLookup): string {
  const most = mobiles.reduce((sum, mobile) => sum + priceOf(mobile), 0);
  const count = mobiles.length === 1 ? '1 number' : `${mobiles.length} numbers`;
  return `Look up ${count}? It costs at most ${toDecimal(Math.min(most, budgetMicros))}.`;
}
