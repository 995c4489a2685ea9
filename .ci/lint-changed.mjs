// node .ci/lint-changed.mjs: runs ESLint on the files that differ from the branch `main`, or on
// `main` itself from the commit before. Where the history is not there, as in a shallow clone, and
// where the rules have changed, it runs on everything.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';

const RULES = /^(?:eslint\.config\.mjs|package(?:-lock)?\.json|tsconfig\.json|\.ci\/function-size)/;

function git(...words) {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

function findBase() {
  const head = git('rev-parse', 'HEAD');
  const bases = ['origin/main', 'main'].map((branch) => git('merge-base', 'HEAD', branch));
  const base = bases.find((one) => one !== null) ?? null;
  return base === head ? git('rev-parse', '--verify', 'HEAD^') : base;
}

function listChanged(base) {
  const changed = git('diff', '--name-only', base);
  const added = git('ls-files', '--others', '--exclude-standard');
  return `${changed}\n${added}`.split('\n').filter((file) => file !== '');
}

const base = findBase();
const changed = base === null ? null : listChanged(base);
const isWhole = changed === null || changed.some((file) => RULES.test(file));
const files = isWhole
  ? ['.']
  : changed.filter((file) => /\.(?:ts|js|cjs|mjs)$/.test(file) && existsSync(file));
process.stdout.write(isWhole ? 'all files\n' : `${files.length} files that have changed\n`);
if (files.length > 0) {
  const words = ['eslint', '--max-warnings', '0', '--no-warn-ignored', ...files];
  process.exitCode = spawnSync('npx', words, { stdio: 'inherit' }).status ?? 1;
}
