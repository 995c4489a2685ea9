const Sequencer = require('@jest/test-sequencer').default;

/** The folders of the slowest suites. Begun last, one of them would run alone while the other processor has nothing to do. */
const SLOW = ['orders', 'reliability', 'browser', 'threats'];

function rank({ path }) {
  const place = SLOW.findIndex((folder) => path.includes(`/test/${folder}/`));
  return place < 0 ? SLOW.length : place;
}

module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
};
