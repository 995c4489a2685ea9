import { spawnSync } from 'node:child_process';
import path from 'node:path';
import manifest from '../../package.json';
import { FAULTS, type HarmShares, type SeededFault } from './faults';

/**
 * Puts one fault after the other into the code and lets the explorer look for it. A fault is caught
 * when something is found that is not there without it, or in a larger share of the orders. Ends
 * with status 1 when one is not caught. Words on the command line choose the faults whose names
 * have one of them.
 */
const ROOT = path.join(__dirname, '..', '..');
const HERE = '<rootDir>/test/orders';
const TYPESCRIPT = '^.+\\.ts$';

type Asked = Pick<SeededFault, 'scenario' | 'kind'>;

function explore(asked: readonly Asked[], fault?: SeededFault): readonly HarmShares[] {
  const [, options] = manifest.jest.transform[TYPESCRIPT];
  const config = {
    ...manifest.jest,
    rootDir: ROOT,
    testMatch: [`${HERE}/seeded-fault.run.ts`],
    transform: { [TYPESCRIPT]: [`${HERE}/fault-transform.cjs`, options] },
  };
  const jest = path.join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [jest, '-i', '--config', JSON.stringify(config)],
    {
      cwd: ROOT,
      encoding: 'utf8',
      env: {
        ...process.env,
        ORDERS_SCENARIOS: JSON.stringify(asked),
        ...(fault && { ORDERS_FAULT: JSON.stringify(fault) }),
      },
    },
  );
  const line = stdout.split('\n').find((one) => one.startsWith('RESULTS '));
  if (line === undefined) throw new Error(stderr);
  // Written by seeded-fault.run.ts.
  return JSON.parse(line.slice('RESULTS '.length)) as readonly HarmShares[];
}

function toPercent(share = 0): string {
  return `${(100 * share).toFixed(1)} %`;
}

const words = process.argv.slice(2);
const faults = FAULTS.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
const before = explore(faults.map(({ scenario, kind }) => ({ scenario, ...(kind && { kind }) })));
const missed = faults.filter((fault, index) => {
  const [found = {}] = explore([fault], fault);
  const without = before[index] ?? {};
  const caught = Object.entries(found).filter(([harm, share]) => share > (without[harm] ?? 0));
  const told = caught.map(
    ([harm, share]) =>
      `${harm}: ${toPercent(share)} of the orders, ${toPercent(without[harm])} without the fault`,
  );
  process.stdout.write(
    `${told.length > 0 ? 'caught' : 'MISSED'}  ${fault.name}\n        ${told.join('; ')}\n`,
  );
  return told.length === 0;
});
process.stdout.write(`${faults.length - missed.length} of ${faults.length} faults caught\n`);
process.exitCode = missed.length === 0 ? 0 : 1;
