const { describe } = require('@jest/globals');

// Its hook closes what any of these suites has opened.
require('../client/support/cleanup');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'errors',
  'cli/refuse-secrets',
  'cli/explain',
  'opentelemetry/news-and-failures',
  'opentelemetry/providers',
  'opentelemetry/events',
  'client/call-events',
  'client/retry-after',
  'client/options',
  'middleware/replies',
  'middleware/redirects',
  'middleware/return-path',
  'middleware/session-writes',
  'middleware/session-calls',
  'middleware/status',
  'cli/usage',
  'login/several-numbers',
  'login/transactions',
  'middleware/return-to',
  'account/refusals',
  'account/change',
  'middleware/plain-passport',
  'login/pending-without-text',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
