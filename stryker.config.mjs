/**
 * What is mutated. The suites that judge a group are listed in `test/mutation/<group>.suites.cjs`.
 */
const GROUPS = {
  verify: [
    'src/core/{verify-otp,checker,count-attempt,check-code,finish-code,refuse-code,settle-attempt,previous-otp,finish-login,let-in,success,sms-factor,user-factors,users,admin}.ts',
  ],
  send: [
    'src/core/{send-otp,send-message,addresses,choose-address,send-result,charge-send,wait-without-text,resend-otp,phones,emit}.ts',
    'src/features/policies/run-policies.ts',
  ],
  limits: ['src/limits/{charge,attempts,table,rows,refunds,lift,buckets}.ts'],
  factors: [
    'src/features/*/feature.ts',
    'src/features/logins/session-logins.ts',
    'src/features/known-browsers/known-browsers.ts',
    'src/features/recovery-codes/recovery-codes.ts',
    'src/features/trusted-devices/{trusted-devices,device-tokens}.ts',
  ],
  envelope: ['src/protocol/envelope.ts'],
  answers: ['src/client/{transport,gateway-call}.ts', 'src/client/wire.ts:109-118'],
  // What decides what errors, events, spans, replies and the command may show.
  redaction: [
    'src/errors.ts',
    'src/client/events.ts',
    'src/middleware/{replies,notice,answer,status}.ts',
    'src/opentelemetry/record-spans.ts',
    'src/cli/failures.ts',
    // The refusal of secrets, and what of a word is repeated.
    'src/cli/run.ts:170-201',
    'src/cli/run.ts:239-240',
  ],
  memory: ['src/stores/memory/*.ts'],
  records: ['src/stores/{pending-logins,record-sets,record-schemas,check-values}.ts'],
  guard: ['src/stores/{guarded-store,check-answers,with-timeout,lease}.ts'],
};

const group = process.env.MUTATE ?? 'verify';

export default {
  testRunner: 'jest',
  coverageAnalysis: 'perTest',
  // A module is loaded once for all mutants, so one in what runs at its loading would have no
  // effect.
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
      setupFiles: ['<rootDir>/test/support/fixed-seed.cjs'],
      roots: ['<rootDir>/src', '<rootDir>/test'],
      testTimeout: 20_000,
    },
  },
  ignorePatterns: ['/dist', '/site', '/.site', '/coverage', '/reports', '/bench', '/docs'],
  // What a run that was stopped has found stays in reports/mutation/events.
  reporters: ['clear-text', 'html', 'progress', 'event-recorder'],
  htmlReporter: { fileName: `reports/mutation/${group}.html` },
  thresholds: { high: 95, low: 90, break: 90 },
  // Some memory of each run stays.
  maxTestRunnerReuse: 60,
  // A mutant that hangs costs this and the time of all tests that reach it.
  timeoutMS: 5_000,
  timeoutFactor: 1,
  dryRunTimeoutMinutes: 20,
};
