const { describe } = require('@jest/globals');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'login/events',
  'login/login',
  'login/places',
  'login/several-numbers',
  'login/get-phone',
  'middleware/double-click',
  'middleware/send',
  'middleware/send-not-required',
  'middleware/status',
  'middleware/user-ids',
  'policies/policies',
  'policies/policy-hooks',
  'policies/policy-answers',
  'policies/send-limits',
  'login/pending-without-text',
  'login/transactions',
  'login/send-gaps',
  'login/expiry',
  'login/attempts',
  'login/callbacks',
  'login/odd-answers',
  'login/no-listener',
  'login/generate-faults',
  'account/enroll',
  'account/refusals',
  'account/change',
  'account/phone-book',
  'account/known-browsers',
  'login/store-failures',
  'policies/failure-locks',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
