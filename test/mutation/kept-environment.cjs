const Environment = require('@stryker-mutator/jest-runner/jest-env/node');

let kept;

/**
 * One global object for all mutants, so that modules may stay loaded; and no test after the first
 * that fails.
 */
module.exports = class KeptEnvironment extends Environment {
  constructor(config, context) {
    super(config, context);
    kept ??= {
      context: this.context,
      global: this.global,
      moduleMocker: this.moduleMocker,
      symbols: Object.getOwnPropertySymbols(this.global),
    };
    const { __stryker__ } = this.global;
    Object.assign(this, kept);
    Object.assign(this.global, { __stryker__ });
    // What jest has left there for the run before: its tests, and who hears of them.
    for (const key of Object.getOwnPropertySymbols(this.global))
      if (!kept.symbols.includes(key)) delete this.global[key];
  }

  async setup() {
    await super.setup();
    // Instrumented code reads this variable but once.
    this.global.__stryker__.activeMutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  }

  handleTestEvent({ name, test, describeBlock }) {
    if (name === 'test_done' && test.errors.length > 0) this.hasFailed = true;
    if (!this.hasFailed) return;
    if (name === 'run_describe_start') describeBlock.mode = 'skip';
    if (name === 'test_start') test.mode = 'skip';
  }

  /** The global object stays. */
  async teardown() {}
};
