import { expect } from '@jest/globals';
import type { ActName } from './feature-acts';
import { type Disturbed, type Outcome, tryOut } from './feature-outcome';
import type { Block, Cells, Rows } from './feature-rows';
import type { Fault, FinishFault } from './real-features';
import type { Starter } from './stage';
import type { TestApp, TestAppOptions } from './test-app';

/** One cell of the matrix. */
interface Cell {
  readonly act: ActName;
  readonly what: string;
  /** Undefined: nothing goes wrong. */
  readonly disturbed: Disturbed | undefined;
  readonly left: Outcome;
  readonly calls: Block['calls'];
}

/** Lists the cells of some rows. The first one of each act is that in which nothing goes wrong. */
export function listCells(rows: Rows): readonly Cell[] {
  // The names are those of acts.
  const blocks = Object.entries(rows) as [ActName, Block][];
  return blocks.flatMap(([act, { fine, calls, finish }]) => {
    const cells = [
      { what: 'nothing goes wrong', disturbed: undefined, left: fine },
      ...Object.entries(calls).flatMap(([call, row]) => listRow(call, row)),
      ...listEnds(finish),
    ];
    return cells.map((cell) => ({ ...cell, act, what: `${act}: ${cell.what}`, calls }));
  });
}

type Part = Omit<Cell, 'act' | 'calls'>;

function listRow(call: string, { throws, refuses, slow, store = {} }: Cells): Part[] {
  const cells: Part[] = [];
  const add = (what: string, fault: Fault, left: Outcome | undefined): void => {
    if (left === undefined) return;
    cells.push({ what: `${call} ${what}`, disturbed: { call, fault }, left });
  };
  add('throws', { kind: 'throws' }, throws && reported(call, throws));
  add('refuses', { kind: 'answers', answer: refuses?.answer }, refuses?.left);
  add('is slow', { kind: 'slow' }, slow);
  for (const [operation, left] of Object.entries(store))
    add(`finds the store failing at ${operation}`, { kind: 'store', operation }, left);
  return cells;
}

/** What follows a decision changes nothing if it throws, and is reported. */
function reported(call: string, left: Outcome): Outcome {
  const isAfterwards = /\.(done|undo|after)$/.test(call);
  return isAfterwards ? { ...left, warned: [...left.warned, 'SMS_OTP_FOLLOW_UP'] } : left;
}

function listEnds(finish: Block['finish']): Part[] {
  // The names are those of the type.
  const ends = Object.entries(finish ?? {}) as [FinishFault, Outcome][];
  return ends.map(([fault, left]) => ({
    what: `the step of the store that writes the success: ${fault}`,
    disturbed: fault,
    left,
  }));
}

/** Expects what the table says of a cell, in an app of its own. */
export async function expectCell(
  apps: Starter<TestApp, TestAppOptions>,
  { act, disturbed, left, calls }: Cell,
): Promise<void> {
  const { outcome, hits, called, used } = await tryOut(apps, act, disturbed);
  expect(outcome).toEqual(left);
  if (disturbed !== undefined) return expect(hits).toBeGreaterThan(0);

  // Each row is one of a call that is called, and lists all calls of the store that it uses.
  const rows = Object.entries(calls);
  expect(rows.map(([call]) => call).filter((call) => !called.has(call))).toEqual([]);
  expect(rows.map(([call]) => [call, new Set(used.get(call))])).toEqual(
    rows.map(([call, { store = {} }]) => [call, new Set(Object.keys(store))]),
  );
}
