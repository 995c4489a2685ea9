import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTokens, parse } from './sources.mjs';

/**
 * Starts V8's block coverage. Returns a function that says what has run since its last call: for
 * each file its tokens, how many of them have run, and the calls of its functions.
 */
export async function startCoverage(folder) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const tokensOf = new Map();

  return async function takeCoverage() {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const files = new Map();
    for (const { url, functions } of result) {
      const path = url.startsWith('file:') ? fileURLToPath(url) : url;
      if (!path.startsWith(folder + sep) || !path.endsWith('.js')) continue;
      if (!tokensOf.has(path)) tokensOf.set(path, readTokens(path));
      const read = readFile(tokensOf.get(path), functions);
      if (read.calls > 0) files.set(path, read);
    }
    return files;
  };
}

/**
 * Adds up what several calls of `takeCoverage` have returned. A file counts once, and a token or a
 * function each time that it has run.
 */
export function addUp(parts) {
  const sum = new Map();
  for (const [path, { tokens, run, calls }] of parts.flatMap((files) => [...files])) {
    const before = sum.get(path) ?? { run: 0, calls: 0 };
    sum.set(path, { tokens, run: before.run + run, calls: before.calls + calls });
  }
  return sum;
}

function readTokens(path) {
  return findTokens(parse(path, readFileSync(path, 'utf8')));
}

/** @param tokens Where they begin. */
function readFile(tokens, functions) {
  const ranges = functions.flatMap(({ ranges: own }) => own);
  // An outer range comes before those inside it, and the last one that has a token decides.
  ranges.sort(
    (one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset,
  );
  const open = [];
  let run = 0;
  let next = 0;
  for (const at of tokens) {
    for (; ranges[next]?.startOffset <= at; next += 1) open.push(ranges[next]);
    while (open.length > 0 && open.at(-1).endOffset <= at) open.pop();
    if (open.at(-1)?.count > 0) run += 1;
  }
  const calls = functions.reduce((sum, { ranges: [whole] }) => sum + whole.count, 0);
  return { tokens: tokens.length, run, calls };
}
