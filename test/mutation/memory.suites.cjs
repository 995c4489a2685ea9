const { describe } = require('@jest/globals');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'stores/memory-counters',
  'stores/memory-tokens',
  'stores/memory-room',
  'stores/checks',
  'stores/expiring-map',
  'stores/memory-bound',
  'stores/memory-store',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
