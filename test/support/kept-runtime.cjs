const { AsyncLocalStorage, ...asyncHooks } = require('node:async_hooks');
const { createRequire } = require('node:module');
const { join, sep } = require('node:path');
require('./cheap-scrypt.cjs');

// The one that jest itself uses.
const core = createRequire(require.resolve('jest')).resolve('@jest/core');
const { default: Runtime } = createRequire(core)('jest-runtime');

/**
 * Packages with a default instance or a registry, which a suite must find as if it were the first.
 */
const WITH_STATE = /^(@?passport|@nestjs|@opentelemetry|prom-client|reflect-metadata)/;

/**
 * Packages of `node_modules` stay loaded from one suite of a worker to the next: express, zod,
 * undici and libphonenumber-js take longer to load than most suites take to run. Sources, tests and
 * jest itself are run anew for each suite, so that nothing that a module of ours remembers passes
 * from one to another; what V8 has compiled of them is kept.
 */
class KeptRuntime extends Runtime {
  constructor(...parts) {
    super(...parts);
    const compiled = new Map();
    const compile = this.executor.compile.bind(this.executor);
    this.executor.compile = (source, filename) => {
      const earlier = compiled.get(filename);
      if (earlier?.source === source) return earlier.run;
      const run = compile(source, filename);
      compiled.set(filename, { source, run });
      return run;
    };
  }

  /** Jest has a runtime a suite; this one is told of each. */
  begin(testPath) {
    this._testPath = testPath;
    for (const part of [this.executor, this.esmLoader]) part.testPath = testPath;
    this.testState.state = 'loading';
    this.storages = [];
  }

  /**
   * Jest makes an AsyncLocalStorage for each suite and leaves it enabled. Up to Node 22 every
   * promise of the suites that follow would look at each of them.
   */
  requireModule(from, name, options, ...rest) {
    if (name !== 'node:async_hooks' || !options?.isInternalModule)
      return super.requireModule(from, name, options, ...rest);
    const { storages } = this;
    class Storage extends AsyncLocalStorage {
      constructor(...parts) {
        super(...parts);
        storages.push(this);
      }
    }
    return { ...asyncHooks, AsyncLocalStorage: Storage };
  }

  teardown() {
    const kept = new Map();
    // A package that was in use under fake timers may wait for one that will never fire.
    if (!this._environment.hadFakeTimers)
      for (const [path, module] of this.registries.moduleRegistry)
        if (isStatelessPackage(path, this._config.rootDir)) kept.set(path, module);
    super.teardown();
    for (const [path, module] of kept) this.registries.moduleRegistry.set(path, module);
    for (const storage of this.storages) storage.disable();
  }
}

function isStatelessPackage(path, rootDir) {
  const packages = join(rootDir, 'node_modules') + sep;
  return path.startsWith(packages) && !WITH_STATE.test(path.slice(packages.length));
}

let kept;

exports.default = function makeRuntime(config, environment, resolver, ...rest) {
  // Without the kept environment nothing can stay: packages belong to its global object.
  if (!environment.isKept) return new Runtime(config, environment, resolver, ...rest);
  const [, , , testPath] = rest;
  if (kept?.resolver !== resolver)
    kept = { resolver, runtime: new KeptRuntime(config, environment, resolver, ...rest) };
  kept.runtime.begin(testPath);
  return kept.runtime;
};
exports.__esModule = true;
