// What a pending login, a known browser and a login take in a store, and whether a store slows down
// as pending logins grow to a million. With BENCH_BEFORE, another checkout, built, the same of its
// stores.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = resolve(import.meta.dirname, '..');
const BEFORE = process.env.BENCH_BEFORE;
const SUBJECT = fileURLToPath(new URL('lib/memory-subject.mjs', import.meta.url));

function measure(checkout) {
  const args = ['--expose-gc', SUBJECT, resolve(checkout)];
  return JSON.parse(execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
}

const now = measure(HERE);
const rows = now.map((row) => ['this one', ...row]);
if (BEFORE !== undefined) rows.push(...measure(BEFORE).map((row) => ['the one before', ...row]));

const of = (size) =>
  now.find(
    ([store, what, count]) => store === 'memory' && what === 'pending logins' && count === size,
  );
const bytes = Number(of(100_000)[3]);
const growth = of(1_000_000)[5] / of(10_000)[5];
process.stdout.write(
  JSON.stringify({
    title: 'What is stored',
    columns: [
      ...['build', 'store', 'what', 'how many', 'bytes each'],
      ...['begin, µs', 'claim, µs', 'finish, µs'],
    ],
    rows,
    goals: [
      [
        'a pending login among 100,000 has at most 500 bytes in memory',
        bytes <= 500,
        String(bytes),
      ],
      [
        'a claim among 1,000,000 costs at most twice one among 10,000',
        growth <= 2,
        growth.toFixed(2),
      ],
    ],
  }),
);
process.exit(0);
