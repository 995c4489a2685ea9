import { afterEach, expect, it, jest } from '@jest/globals';
import type { SmsOtpOptions } from 'passport-sms-otp';
import { openTelemetry } from 'passport-sms-otp/opentelemetry';
import { startTestApp } from '../support/test-app';
import { visit } from '../support/visit';

/** The files that emit an event for every call and would read the clock for it. */
const TIMED = ['src/client/events', 'src/stores/guarded-store', 'src/core/emit'];

afterEach(() => {
  jest.restoreAllMocks();
});

/** Returns those of the files above that read the clock during a login. */
async function findTimed(onEvent: ReturnType<typeof openTelemetry> | undefined): Promise<string[]> {
  // Undefined removes the test app's own listener; the option's type allows only its absence.
  const options = { onEvent } as Partial<SmsOtpOptions>;
  const test = await startTestApp({ options });
  const stacks: string[] = [];
  const readMs = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => {
    stacks.push(new Error('the clock was read').stack ?? '');
    return readMs();
  });
  const alice = visit(test);
  await alice.login();
  expect((await alice.enterRight()).status).toBe(200);
  await test.close();
  return TIMED.filter((file) => stacks.some((stack) => findCaller(stack).includes(file)));
}

/** Returns the caller of the clock, skipping the spy. */
function findCaller(stack: string): string {
  const frames = stack.split('\n').slice(1);
  return frames.find((frame) => !/cost\.test|jest-mock/.test(frame)) ?? '';
}

it('without a listener no call is timed', async () => {
  expect(await findTimed(undefined)).toEqual([]);
});

it('with a listener every kind of call is timed', async () => {
  expect(await findTimed(openTelemetry())).toEqual(TIMED);
});
