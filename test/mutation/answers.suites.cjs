const { describe } = require('@jest/globals');

// Its hook closes what any of these suites has opened.
require('../client/support/cleanup');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'client/odd-http',
  'client/may-have-arrived',
  'client/retry-after',
  'client/refresh-refusals',
  'client/circuit-breaker',
  'client/transport',
  'client/calls',
  'client/credentials-refused',
  'client/tokens',
  'client/deadlines',
  'client/tls',
  'client/dispatcher',
  'client/close',
  'client/success-predicate',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
