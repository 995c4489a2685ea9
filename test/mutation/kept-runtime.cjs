const { createRequire } = require('node:module');
const { join, sep } = require('node:path');
require('../support/cheap-scrypt.cjs');

// The one that jest itself uses.
const core = createRequire(require.resolve('jest')).resolve('@jest/core');
const { default: Runtime } = createRequire(core)('jest-runtime');

/**
 * Sources and packages stay loaded from the first mutant on; what lies in `test` is loaded anew for
 * each.
 */
class KeptRuntime extends Runtime {
  teardown() {
    const tests = join(this._config.rootDir, 'test') + sep;
    const { moduleRegistry, internalModuleRegistry } = this.registries;
    for (const path of moduleRegistry.keys())
      if (path.startsWith(tests)) moduleRegistry.delete(path);
    internalModuleRegistry.clear();
    this.restoreAllMocks();
  }

  /** Jest lets nothing be loaded once a test has ended. Here the next run loads its tests. */
  leaveTestCode() {}
}

let kept;

/** Jest makes a runtime for each run, and is given the first one again. */
exports.default = function makeRuntime(...parts) {
  kept ??= new KeptRuntime(...parts);
  return kept;
};
exports.__esModule = true;
