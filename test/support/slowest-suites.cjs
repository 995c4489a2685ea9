const { existsSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, relative } = require('node:path');

const HOW_MANY = 10;

/**
 * Prints the slowest suites at the end of a run of many, so that a suite that becomes slow is
 * noticed, and the processor time of each folder, of the programs that its suites have started too.
 * `kept-environment.cjs` measures a suite and writes it to the file that CPU_SECONDS_FILE names.
 */
module.exports = class SlowestSuites {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
    this.file = join(tmpdir(), `sms-otp-cpu-seconds-${process.pid}`);
    process.env.CPU_SECONDS_FILE = this.file;
  }

  onRunComplete(_contexts, { testResults }) {
    const measured = this.readMeasured();
    const ran = testResults.filter(({ skipped }) => !skipped);
    if (ran.length <= HOW_MANY) return;
    const slowest = ran
      .toSorted((one, other) => other.perfStats.runtime - one.perfStats.runtime)
      .slice(0, HOW_MANY);
    const lines = slowest.map(({ perfStats, testFilePath }) => {
      const seconds = (perfStats.runtime / 1_000).toFixed(1);
      return `${seconds.padStart(7)} s  ${relative(this.rootDir, testFilePath)}\n`;
    });
    process.stderr.write(`\nThe slowest suites:\n${lines.join('')}`);
    process.stderr.write(`\nCPU seconds by folder:\n${sumByFolder(measured).join('')}`);
  }

  /** Pairs of a path below `test` and the seconds of that suite. */
  readMeasured() {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, 'utf8').trimEnd().split('\n');
    rmSync(this.file);
    return lines.map((line) => {
      const [path, seconds] = line.split('\t');
      return [relative(join(this.rootDir, 'test'), path), Number(seconds)];
    });
  }
};

function sumByFolder(measured) {
  const sums = new Map([['all', 0]]);
  for (const [path, seconds] of measured)
    for (const name of ['all', path.split(/[\\/]/, 1)[0]])
      sums.set(name, (sums.get(name) ?? 0) + seconds);
  return Array.from(sums)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${name}\n`);
}
