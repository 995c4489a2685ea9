const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/**
 * What `npm test` runs: the suites that start no process, be it a server, a browser, a host or npm.
 * With `REQUIRE_SERVICES=1` all suites run. Jest asks `filter` for the suites of a run.
 */
module.exports = async function filter(paths) {
  if (process.env.REQUIRE_SERVICES === '1') return { filtered: paths };
  const filtered = paths.filter((path) => !reaches(path, new Set()));
  const left = paths.length - filtered.length;
  if (left > 0)
    process.stderr.write(
      `SKIPPED: ${left} of ${paths.length} suites start servers, browsers or other processes. ` +
        'REQUIRE_SERVICES=1 npm test runs them, npx jest <suite> runs one of them.\n',
    );
  return { filtered };
};

const STARTS_PROCESSES = /^(?:import|export|\}) .*from '(?:node:child_process|playwright-core)'/m;
const OWN_IMPORT = /^(?:import|export|\}) .*?'(\.[^']+)';$|^import '(\.[^']+)';$/gm;

/** Whether a file of the tests, or one that it imports, starts a process. */
function reaches(path, seen) {
  if (seen.has(path)) return false;
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  if (STARTS_PROCESSES.test(text)) return true;
  return Array.from(text.matchAll(OWN_IMPORT), ([, one, other]) => one ?? other)
    .map((specifier) => `${join(dirname(path), specifier)}.ts`)
    .some((file) => file.includes('/test/') && existsSync(file) && reaches(file, seen));
}
