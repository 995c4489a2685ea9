const { appendFileSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');

// The one that jest itself uses.
const { TestEnvironment } = createRequire(require.resolve('jest'))('jest-environment-node');

let kept;

/**
 * One global object for all suites of a worker, because packages that stay loaded
 * (`kept-runtime.cjs`) belong to one: an error that express throws is an `Error` of the suite that
 * catches it. What a suite has changed of it is put back when the suite ends.
 */
module.exports = class KeptEnvironment extends TestEnvironment {
  constructor(config, context) {
    if (kept !== undefined) {
      kept.beginMeasuring(context);
      return kept;
    }
    super(config, context);
    kept = this;
    this.beginMeasuring(context);
    this.isKept = true;
    this.hadFakeTimers = false;
    const { fakeTimersModern } = this;
    const useFakeTimers = fakeTimersModern.useFakeTimers.bind(fakeTimersModern);
    fakeTimersModern.useFakeTimers = (options) => {
      this.hadFakeTimers = true;
      useFakeTimers(options);
    };
    this.atFirst = Object.getOwnPropertyDescriptors(this.global);
    this.processAtFirst = { env: { ...this.global.process.env }, exit: this.global.process.exit };
  }

  beginMeasuring({ testPath }) {
    this.testPath = testPath;
    this.cpuSecondsBefore = readCpuSeconds();
  }

  endMeasuring() {
    const file = process.env.CPU_SECONDS_FILE;
    if (file === undefined) return;
    const seconds = readCpuSeconds() - this.cpuSecondsBefore;
    appendFileSync(file, `${this.testPath}\t${seconds.toFixed(2)}\n`);
  }

  async teardown() {
    this.endMeasuring();
    this.fakeTimersModern.useRealTimers();
    const { global, atFirst, hadFakeTimers } = this;
    for (const key of Reflect.ownKeys(global).filter((name) => !(name in atFirst)))
      if (!isOfUndici(key)) Reflect.deleteProperty(global, key);
      // After fake timers no package stays, see the runtime. This one cannot be deleted.
      else if (hadFakeTimers) Reflect.set(global, key, undefined);
    this.hadFakeTimers = false;
    for (const key of Reflect.ownKeys(atFirst))
      if (atFirst[key].configurable) Object.defineProperty(global, key, atFirst[key]);
    const { process } = global;
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, this.processAtFirst.env);
    process.exit = this.processAtFirst.exit;
    process.removeAllListeners();
  }
};

/** Of this process and, on Linux, of those that it has started and that have ended. */
function readCpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + readCpuSecondsOfChildren();
}

const TICKS_PER_SECOND = 100;

function readCpuSecondsOfChildren() {
  if (process.platform !== 'linux') return 0;
  // proc_pid_stat(5): behind the name in parentheses, cutime and cstime are the 14th and the 15th.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

/** What undici keeps on the global object, so that all its copies in a process share it. */
function isOfUndici(key) {
  return typeof key === 'symbol' && key.description.startsWith('undici.');
}
