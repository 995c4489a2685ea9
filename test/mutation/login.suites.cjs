const { describe } = require('@jest/globals');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'login/login',
  'login/attempts',
  'login/expiry',
  'observability/events',
  'login/several-numbers',
  'login/get-phone',
  'login/callbacks',
  'login/transactions',
  'login/send-gaps',
  'login/no-listener',
  'policies/policies',
  'policies/policy-hooks',
  'policies/send-limits',
  'express/step-up',
  'express/step-up-binding',
  'express/double-click',
  'express/user-ids',
  'express/status',
  'express/send',
  'express/send-not-required',
  'express/replies',
  'enrolment/enrol',
  'enrolment/change',
  'enrolment/phone-book',
  'login/store-failures',
  'enrolment/accidents',
  'enrolment/refusals',
  'login/refused-before-claim',
  'policies/failure-locks',
  'login/validate-faults',
  'login/generate-faults',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
