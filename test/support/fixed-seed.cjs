const { configureGlobal } = require('fast-check');

/**
 * `npm test` and `.ci/run` try the same cases each time, so that a change is judged by what it
 * changes. The complete run tries others each time, and fast-check prints the seed of a failure.
 */
if (process.env.COMPLETE !== '1') configureGlobal({ seed: 2026 });
