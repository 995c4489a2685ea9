const { describe } = require('@jest/globals');

// Its hook closes what any of these suites has opened.
require('../client/support/cleanup');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'errors',
  'cli/refuse-secrets',
  'cli/explain',
  'opentelemetry/news-and-failures',
  'client/call-events',
  'middleware/replies',
  'middleware/redirects',
  'middleware/status',
  'login/several-numbers',
  'login/transactions',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
