const { describe } = require('@jest/globals');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'limits/attempt-refunds',
  'limits/send-refunds',
  'limits/table',
  'limits/lift',
  'limits/stops',
  'policies/limit-options',
  'policies/near-limits',
  'policies/send-limits',
  'policies/failure-locks',
  'policies/address-block',
  'account/known-browsers',
  'account/recover',
  'account/challenge-factors',
  'login/judged-attempts',
  'login/send-gaps',
  'login/given-back',
  'login/events',
  'login/pending-without-text',
  'login/store-failures',
  'threats/answers-and-waits',
  'threats/recovery-codes',
  'threats/slow-guessing',
  'threats/budgets-of-others',
  'threats/known-browsers',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
