const Sequencer = require('@jest/test-sequencer').default;

/**
 * Where the slowest suites are. Begun last, one of them would run alone while the other processor
 * has nothing to do.
 */
const SLOW = [
  'orders/',
  'reliability/',
  'browser/',
  'package/consumers',
  'threats/',
  'stores/race',
  'stores/same-answers',
  'example-app/',
  'docs/',
];

function rank({ path }) {
  const place = SLOW.findIndex((part) => path.includes(`/test/${part}`));
  return place < 0 ? SLOW.length : place;
}

module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
};
