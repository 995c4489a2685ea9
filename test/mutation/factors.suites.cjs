const { describe } = require('@jest/globals');

/** Those that find most come first, those that wait come last. */
const SUITES = [
  'login/code-input',
  'factors/devices-again',
  'factors/device-list',
  'factors/recovery-codes',
  'factors/factor-options',
  'factors/devices-and-numbers',
  'factors/trusted-devices',
  'factors/recover',
  'factors/other-factors',
  'factors/secret',
  'threats/recovery-codes',
  'threats/trusted-devices',
  'threats/trusted-devices-and-guards',
];

// Each in a block of its own: hooks of one are not hooks of all.
for (const suite of SUITES) describe(suite, () => void require(`../${suite}.test`));
