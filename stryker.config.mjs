/** What is mutated. The suites that judge a group are listed in `test/mutation/<group>.suites.cjs`. */
const GROUPS = {
  verify: inLogin(
    'verify-otp',
    'attempt',
    'judge-pin',
    'pin-rejection',
    'find-user',
    'user-*',
    'lost-answer',
  ),
  send: inLogin(
    'send-*',
    'deliver-code',
    'resend-otp',
    'challenge-record',
    'choose-phone',
    'ask-policies',
    'list-phones',
    'phone-number',
    'time-decision',
    'events',
  ),
  factors: inLogin('code-input', 'join-factors', 'judge-{device,factor,recovery-code}', '*device*'),
  envelope: ['src/protocol/envelope.ts'],
  answers: ['src/client/answers/*.ts'],
  // What decides what errors, events, spans, replies and the command may show.
  redaction: [
    'src/errors.ts',
    'src/client/events.ts',
    'src/express/{replies,status}.ts',
    'src/observability/{record-spans,timed-event}.ts',
    'src/cli/{explain,line/refuse-secrets}.ts',
  ],
  memory: ['src/stores/{memory-store,memory/*}.ts'],
  records: ['src/stores/{records,check-values}.ts'],
  guard: ['src/stores/{guarded-store,with-timeout,lease}.ts'],
};

function inLogin(...names) {
  return names.map((name) => `src/login/${name}.ts`);
}

const group = process.env.MUTATE ?? 'verify';

export default {
  testRunner: 'jest',
  coverageAnalysis: 'perTest',
  // A module is loaded once for all mutants, so one in what runs at its loading would have no effect.
  ignoreStatic: true,
  mutate: GROUPS[group],
  jest: {
    projectType: 'custom',
    enableFindRelatedTests: false,
    config: {
      runtime: '<rootDir>/test/mutation/kept-runtime.cjs',
      // Stryker resolves it by itself.
      testEnvironment: './test/mutation/kept-environment.cjs',
      testMatch: [`<rootDir>/test/mutation/${group}.suites.cjs`],
      moduleFileExtensions: ['ts', 'js', 'cjs', 'json', 'node'],
      roots: ['<rootDir>/src', '<rootDir>/test'],
      testTimeout: 10_000,
    },
  },
  ignorePatterns: ['/dist', '/site', '/coverage', '/reports', '/bench', '/docs'],
  reporters: ['clear-text', 'html', 'progress'],
  htmlReporter: { fileName: `reports/mutation/${group}.html` },
  thresholds: { high: 95, low: 90, break: 90 },
  // Some memory of each run stays.
  maxTestRunnerReuse: 60,
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 20,
};
