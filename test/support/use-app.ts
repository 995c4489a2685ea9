import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app';

/** The options of the app of a block, or what makes them anew for each app. */
type Given = TestAppOptions | (() => TestAppOptions);

/** An app that a test starts itself. */
export interface AppOfTest extends TestApp {
  /**
   * Starts an app with these options, beside those of the block. The newest one is the app of the
   * test; all are closed after it.
   */
  start(given?: TestAppOptions): Promise<TestApp>;
}

/** One app for all tests of a block, started before the first of them and closed after the last. */
export function useSharedApp(given?: Given): TestApp {
  const running = createStage(given);
  beforeAll(() => running.start());
  afterAll(() => running.close());
  return running.app;
}

/** An app for each test of a block, started before it and closed after it. */
export function useApp(given?: Given): AppOfTest {
  const running = createStage(given);
  beforeEach(() => running.start());
  afterEach(() => running.close());
  return running.app;
}

/** For a block whose tests start the app themselves, each as it needs it: `await test.start()`. */
export function useOwnApps(given?: Given): AppOfTest {
  const running = createStage(given);
  afterEach(() => running.close());
  return running.app;
}

interface Stage {
  readonly app: AppOfTest;
  start(given?: TestAppOptions): Promise<TestApp>;
  close(): Promise<void>;
}

function createStage(block: Given = {}): Stage {
  const open: TestApp[] = [];
  let newest: TestApp | undefined;
  const start: Stage['start'] = async (given = {}) => {
    const defaults = typeof block === 'function' ? block() : block;
    const options = { ...defaults.options, ...given.options };
    const test = await startTestApp({ ...defaults, ...given, options });
    open.push(test);
    newest = test;
    return test;
  };
  const get = (_target: object, name: string | symbol): unknown => {
    if (name === 'start') return start;
    // Only in a test, or in a hook after that which starts it, is there an app.
    if (newest === undefined) throw new Error('no app has been started');
    return Reflect.get(newest, name) as unknown;
  };
  return {
    // What is read from it is always read from the app that runs now.
    app: new Proxy({}, { get }) as AppOfTest,
    start,
    close: async () => {
      await Promise.all(open.splice(0).map((test) => test.close()));
    },
  };
}
