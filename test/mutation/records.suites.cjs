const { describe } = require('@jest/globals');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'stores/record-schemas',
  'stores/check-input',
  'stores/foreign-answers',
  'stores/memory-store',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
