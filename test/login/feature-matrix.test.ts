import { forgetCores } from '../support/kept-cores';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ACTS, type ActName } from '../support/feature-acts';
import { tryOut } from '../support/feature-outcome';
import { type Column, EXEMPT } from '../support/feature-rows';
import { ACCOUNT_ROWS } from '../support/feature-rows-account';
import { SEND_ROWS } from '../support/feature-rows-send';
import { VERIFY_ROWS } from '../support/feature-rows-verify';
import { useOwnApps } from '../support/use-app';

const COLUMNS: readonly Column[] = ['throws', 'refuses', 'slow'];

/**
 * The cells themselves are in `feature-matrix-send`, `-verify` and `-account`. The column "the store
 * fails" has a cell for each call of the store that a feature's call uses.
 */
describe('the matrix of what goes wrong in the calls of features', () => {
  const apps = useOwnApps();
  afterAll(forgetCores);

  const blocks = Object.entries({ ...SEND_ROWS, ...VERIFY_ROWS, ...ACCOUNT_ROWS });
  const rows = blocks.flatMap(([, { calls }]) => Object.entries(calls));
  const isExempt = (call: string, column: Column): boolean =>
    EXEMPT.some(([calls, columns]) => calls.test(call) && columns.includes(column));
  const has = (call: string, column: Column): boolean =>
    rows.some(([name, cells]) => name === call && cells[column] !== undefined);

  it('has each call of each feature in each column, and no other', async () => {
    const known = new Set<string>();
    for (const act of Object.keys(ACTS) as ActName[]) {
      for (const call of (await tryOut(apps, act)).known) known.add(call);
    }
    const missing = [...known].flatMap((call) =>
      COLUMNS.filter((column) => !has(call, column) && !isExempt(call, column)).map(
        (column) => `${call} ${column}`,
      ),
    );
    expect(missing).toEqual([]);
    expect(rows.map(([call]) => call).filter((call) => !known.has(call))).toEqual([]);
  });

  it('has each act', () => {
    expect(blocks.map(([act]) => act).toSorted()).toEqual(Object.keys(ACTS).toSorted());
  });
});
