import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

interface Closable {
  close(): Promise<void>;
}

/** What runs for the tests of a block, and what starts and ends it. */
export interface Stage<Running extends Closable, Given> {
  /** What was started last: whatever is read from it is read from that. */
  readonly running: Running & Starter<Running, Given>;
  start(given?: Given): Promise<Running>;
  close(): Promise<void>;
}

export interface Starter<Running, Given> {
  /** Starts another one. What the test then reads is that of the newest; all are closed after it. */
  start(given?: Given): Promise<Running>;
}

export function createStage<Running extends Closable, Given = never>(
  open: (given?: Given) => Promise<Running>,
): Stage<Running, Given> {
  const opened: Running[] = [];
  let newest: Running | undefined;
  const start = async (given?: Given): Promise<Running> => {
    newest = await open(given);
    opened.push(newest);
    return newest;
  };
  const get = (_target: object, name: string | symbol): unknown => {
    if (name === 'start') return start;
    // Only in a test, or in a hook after that which starts it, does anything run.
    if (newest === undefined) throw new Error('nothing has been started');
    return Reflect.get(newest, name);
  };
  return {
    running: new Proxy({}, { get }) as Running & Starter<Running, Given>,
    start,
    close: async () => {
      await Promise.all(opened.splice(0).map((running) => running.close()));
    },
  };
}

/** Started before the first test of a block and closed after the last. */
export function share<Running extends Closable, Given>(
  stage: Stage<Running, Given>,
): Stage<Running, Given>['running'] {
  beforeAll(() => stage.start());
  afterAll(() => stage.close());
  return stage.running;
}

/** Started before each test of a block and closed after it. */
export function renew<Running extends Closable, Given>(
  stage: Stage<Running, Given>,
): Stage<Running, Given>['running'] {
  beforeEach(() => stage.start());
  return closeAfterEach(stage);
}

/** Started by the tests of a block themselves, each as it needs it, and closed after it. */
export function closeAfterEach<Running extends Closable, Given>(
  stage: Stage<Running, Given>,
): Stage<Running, Given>['running'] {
  afterEach(() => stage.close());
  return stage.running;
}
