import { afterEach, expect, it, jest } from '@jest/globals';
import type { SmsOtpOptions } from 'passport-sms-otp';
import { openTelemetry } from 'passport-sms-otp/opentelemetry';
import { startTestApp } from '../support/test-app';
import { visit } from '../support/visit';

/** The files that make an event of every call, so that they would be the ones to pay for. */
const TIMED = ['src/client/observe-call', 'src/stores/guarded-store', 'src/login/time-decision'];

afterEach(() => {
  jest.restoreAllMocks();
});

/** Those of the files above that looked at the clock in the course of a login. */
async function findTimed(onEvent: ReturnType<typeof openTelemetry> | undefined): Promise<string[]> {
  // Undefined takes the test app's own sink away; the option itself may only be absent.
  const options = { onEvent } as Partial<SmsOtpOptions>;
  const test = await startTestApp({ options });
  const stacks: string[] = [];
  const readMs = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => {
    stacks.push(new Error('a look at the clock').stack ?? '');
    return readMs();
  });
  const alice = visit(test);
  await alice.login();
  expect((await alice.enterRight()).status).toBe(200);
  await test.close();
  return TIMED.filter((file) => stacks.some((stack) => findCaller(stack).includes(file)));
}

/** Who called the clock, past the spy that stands before it. */
function findCaller(stack: string): string {
  const frames = stack.split('\n').slice(1);
  return frames.find((frame) => !/cost\.test|jest-mock/.test(frame)) ?? '';
}

it('without a sink no call is timed and no event of it is made', async () => {
  expect(await findTimed(undefined)).toEqual([]);
});

it('with a sink every kind of call is timed', async () => {
  expect(await findTimed(openTelemetry())).toEqual(TIMED);
});
