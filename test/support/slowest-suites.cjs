const { relative } = require('node:path');

const HOW_MANY = 10;

/**
 * Prints the slowest suites at the end of a run of many, so that a suite that becomes slow is
 * noticed.
 */
module.exports = class SlowestSuites {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_contexts, { testResults }) {
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
  }
};
