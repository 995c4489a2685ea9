const { describe } = require('@jest/globals');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'login/events',
  'login/login',
  'login/given-back',
  'limits/send-refunds',
  'login/not-sent',
  'login/resend',
  'login/pending-without-text',
  'policies/policies',
  'policies/send-limits',
  'login/send-gaps',
  'login/odd-answers',
  'login/generate-faults',
  'policies/policy-answers',
  'policies/policy-hooks',
  'middleware/double-click',
  'login/several-numbers',
  'login/delivered-factor',
  'login/get-phone',
  'login/transactions',
  'login/no-listener',
  'login/expiry',
  'login/attempts',
  'login/judged-attempts',
  'policies/failure-locks',
  'account/enroll',
  'account/change',
  'account/known-browsers',
  'login/places',
  'middleware/send',
  'middleware/send-not-required',
  'middleware/status',
  'middleware/user-ids',
  'login/callbacks',
  'login/store-failures',
  'account/refusals',
  'account/phone-book',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
