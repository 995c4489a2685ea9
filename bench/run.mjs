// npm run bench: every benchmark in a process of its own, the results as one page.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createRequire } from 'node:module';
import { PINNING, wrapWithTaskset } from './lib/cores.mjs';

const require = createRequire(import.meta.url);
const ALL = ['client', 'guard', 'login', 'scaling', 'import', 'memory', 'late-codes'];
const chosen = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ALL;
const here = new URL('.', import.meta.url);
/** Of a login this process is the load: its apps have processes of their own. */
const CORES = { login: 1, scaling: null };

function run(name) {
  process.stderr.write(`${name} …\n`);
  const [command, args] = wrapWithTaskset(name in CORES ? CORES[name] : 0);
  const output = execFileSync(command, [...args, '--expose-gc', `${name}.mjs`], {
    cwd: here,
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'test', NODE_NO_WARNINGS: '1' },
  });
  return JSON.parse(output.toString().trim().split('\n').at(-1));
}

function toTable({ title, columns, rows, goals, notes = [] }) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    `## ${title}`,
    '',
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map(line),
    '',
    ...(goals.length > 0 ? [line(['goal', 'measured', 'met']), line(['---', '---', '---'])] : []),
    ...goals.map(([goal, isMet, measured]) => line([goal, measured, isMet ? 'yes' : '**no**'])),
    ...(goals.length > 0 ? [''] : []),
    ...notes.flatMap((note) => [note, '']),
  ].join('\n');
}

function versions() {
  const peers = JSON.parse(readFileSync(new URL('package.json', here))).dependencies;
  const ours = Object.fromEntries(
    ['undici', 'express', 'express-session', 'passport', 'zod'].map((name) => [
      name,
      require(`../node_modules/${name}/package.json`).version,
    ]),
  );
  return Object.entries({ node: process.versions.node, ...ours, ...peers })
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}

const page = [
  '# Results',
  '',
  `Written by \`npm run bench\`. ${cpus().length} cores, ${PINNING}. ${versions()}.`,
  '',
  'Rounds are interleaved; a figure is the median of the rounds, with the range of their middle half in brackets. Ratios are taken round by round',
  'within one run. Absolute figures depend on the machine; ratios and counts are what to look at.',
  '',
  ...chosen.map((name) => toTable(run(name))),
].join('\n');

if (chosen.length === ALL.length) {
  const notes = new URL('NOTES.md', here);
  writeFileSync(new URL('RESULTS.md', here), `${page}\n${readFileSync(notes, 'utf8')}`);
}
process.stdout.write(`${page}\n`);
