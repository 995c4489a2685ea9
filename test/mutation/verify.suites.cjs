const { describe } = require('@jest/globals');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'login/judged-attempts',
  'login/events',
  'login/login',
  'login/code-input',
  'login/several-numbers',
  'login/attempts',
  'login/earlier-code',
  'login/pending-without-text',
  'policies/failure-locks',
  'account/recover',
  'account/other-factors',
  'account/challenge-factors',
  'middleware/step-up',
  'login/callbacks',
  'login/expiry',
  'login/transactions',
  'login/no-listener',
  'login/odd-answers',
  'login/store-failures',
  'account/known-browsers',
  'login/validate-faults',
  'login/given-back',
  'login/refused-before-claim',
  'account/enroll',
  'middleware/step-up-binding',
  'middleware/user-ids',
  'policies/policy-hooks',
  'policies/send-limits',
  'account/recovery-codes',
  'middleware/logins',
  'middleware/double-click',
  'account/is-known-browser',
  'account/device-list',
  'account/trusted-devices',
  'limits/lift',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
