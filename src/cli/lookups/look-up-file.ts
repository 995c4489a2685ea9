import { resolve } from 'node:path';
import { toDecimal } from '../../policies/prices/micros';
import type { CommandCall, ExitCode } from '../command';
import { UsageError } from '../failures';
import { withGateway } from '../gateway/with-gateway';
import { askForMoney } from '../line/ask';
import { readAmount, readWhole } from '../line/read-values';
import { createProgressBar } from '../screen/progress-bar';
import { Budget } from './budget';
import { readInputNumbers, type InputNumbers } from './input-file';
import { lookUpAll } from './look-up-all';
import { createLookupPrices, type PriceOfLookup } from './lookup-prices';
import { createPace } from './pace';
import { openResultFile, readDoneNumbers } from './result-file';
import type { RunResult } from './run-tally';
import { showRun } from './show-run';

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
