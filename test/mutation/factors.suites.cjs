const { describe } = require('@jest/globals');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'account/devices-again',
  'account/device-list',
  'account/known-browsers',
  'login/pending-without-text',
  'account/recovery-codes',
  'account/factor-options',
  'account/devices-and-numbers',
  'account/trusted-devices',
  'account/recover',
  'account/secret',
  'threats/recovery-codes',
  'threats/trusted-devices',
  'threats/trusted-devices-and-guards',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
