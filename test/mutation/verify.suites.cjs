const { describe } = require('@jest/globals');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'login/events',
  'login/login',
  'login/places',
  'login/attempts',
  'middleware/step-up',
  'middleware/step-up-binding',
  'middleware/status',
  'middleware/user-ids',
  'login/several-numbers',
  'login/no-listener',
  'login/callbacks',
  'policies/policy-hooks',
  'policies/policy-answers',
  'account/enroll',
  'account/change',
  'login/expiry',
  'login/transactions',
  'login/store-failures',
  'policies/failure-locks',
  'login/odd-answers',
  'policies/send-limits',
  'account/recover',
  'login/pending-without-text',
  'account/known-browsers',
  'account/recovery-codes',
  'account/other-factors',
  'login/refused-before-claim',
  'login/validate-faults',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
