import { closeAfterEach, createStage, renew, share, type Stage, type Starter } from './stage';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app';

/** The options of the app of a block, or what makes them anew for each app. */
type Given = TestAppOptions | (() => TestAppOptions);

/** An app that a test starts itself: `start` adds options to those of the block. */
export type AppOfTest = TestApp & Starter<TestApp, TestAppOptions>;

/** One app for all tests of a block, started before the first of them and closed after the last. */
export function useSharedApp(given?: Given): TestApp {
  return share(stageOf(given));
}

/** An app for each test of a block, started before it and closed after it. */
export function useApp(given?: Given): AppOfTest {
  return renew(stageOf(given));
}

/** For a block whose tests start the app themselves, each as it needs it: `await test.start()`. */
export function useOwnApps(given?: Given): AppOfTest {
  return closeAfterEach(stageOf(given));
}

function stageOf(block: Given = {}): Stage<TestApp, TestAppOptions> {
  return createStage((given = {}) => {
    const defaults = typeof block === 'function' ? block() : block;
    const options = { ...defaults.options, ...given.options };
    return startTestApp({ ...defaults, ...given, options });
  });
}
