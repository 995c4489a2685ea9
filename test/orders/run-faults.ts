import { spawnSync } from 'node:child_process';
import path from 'node:path';
import manifest from '../../package.json';
import { FAULTS, type SeededFault } from './faults';
import type { HarmCounts } from './seeded-fault.run';

/**
 * Puts one fault after the other into the code and lets the explorer look for it. A fault is caught when something is
 * found, or found in more orders, that is not there without it. Ends with status 1 when one is not caught.
 */
const ROOT = path.join(__dirname, '..', '..');
const HERE = '<rootDir>/test/orders';
const TYPESCRIPT = '^.+\\.ts$';

type Asked = Pick<SeededFault, 'scenario' | 'kind'>;

function explore(asked: readonly Asked[], fault?: SeededFault): readonly HarmCounts[] {
  const [, options] = manifest.jest.transform[TYPESCRIPT];
  const config = {
    ...manifest.jest,
    rootDir: ROOT,
    testMatch: [`${HERE}/seeded-fault.run.ts`],
    transform: { [TYPESCRIPT]: [`${HERE}/fault-transform.cjs`, options] },
  };
  const jest = path.join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const { stdout, stderr } = spawnSync(process.execPath, [jest, '-i', '--config', JSON.stringify(config)], {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      ...process.env,
      ORDERS_SCENARIOS: JSON.stringify(asked),
      ...(fault && { ORDERS_FAULT: JSON.stringify(fault) }),
    },
  });
  const line = stdout.split('\n').find((one) => one.startsWith('RESULTS '));
  if (line === undefined) throw new Error(stderr);
  // Written by seeded-fault.run.ts.
  return JSON.parse(line.slice('RESULTS '.length)) as readonly HarmCounts[];
}

const before = explore(FAULTS.map(({ scenario, kind }) => ({ scenario, ...(kind && { kind }) })));
const missed = FAULTS.filter((fault, index) => {
  const [found = {}] = explore([fault], fault);
  const without = before[index] ?? {};
  const caught = Object.entries(found).filter(([harm, orders]) => orders > (without[harm] ?? 0));
  const told = caught.map(
    ([harm, orders]) => `${harm} (${orders} orders, ${without[harm] ?? 0} without the fault)`,
  );
  process.stdout.write(
    `${told.length > 0 ? 'caught' : 'MISSED'}  ${fault.name}\n        ${told.join('; ')}\n`,
  );
  return told.length === 0;
});
process.stdout.write(`${FAULTS.length - missed.length} of ${FAULTS.length} faults caught\n`);
process.exitCode = missed.length === 0 ? 0 : 1;
