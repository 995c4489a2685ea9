import { afterEach } from '@jest/globals';
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/test-app';

const open: TestApp[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((test) => test.close()));
});

/** An app of one test, closed after it however it ends. */
export async function openTestApp(given?: TestAppOptions): Promise<TestApp> {
  const test = await startTestApp(given);
  open.push(test);
  return test;
}
