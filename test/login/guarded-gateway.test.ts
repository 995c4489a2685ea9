import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OtpText, Permit } from 'passport-sms-otp';
import { GatewayResponseError, GatewayTimeoutError } from '../../src/errors';
import { guardGateway } from '../../src/core/guarded-gateway';
import { FakeGateway } from '../support/fake-gateway';

const TEXT: OtpText = {
  to: '+12025550123',
  message: 'Code [PIN]',
  sender: undefined,
  validitySeconds: 300,
};
const TYPED = { id: 'fake-1', to: TEXT.to, pin: '100000' };
const FREE: Permit = { release: () => undefined };

const never = (): Promise<never> => new Promise(() => undefined);

function guard(change: object): ReturnType<typeof guardGateway> {
  return guardGateway(Object.assign(new FakeGateway(), change));
}

describe('a call of a gateway that never settles', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each<[string, (gateway: ReturnType<typeof guardGateway>) => Promise<unknown>, boolean]>([
    ['generate', (gateway) => gateway.generate(TEXT, FREE), true],
    ['validate', (gateway) => gateway.validate(TYPED, FREE), true],
    ['admit', (gateway) => gateway.admit('validate'), false],
  ])('is given up after 10 s, and made once: %s', async (name, call, mayHaveArrived) => {
    const made = jest.fn(never);
    const onError = jest.fn<(error: unknown) => void>();
    call(guard({ [name]: made })).catch(onError);
    await jest.advanceTimersByTimeAsync(9_990);
    expect(onError).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(20);
    const of = name === 'generate' ? 'generate' : 'validate';
    expect(onError.mock.calls).toEqual([[new GatewayTimeoutError(of, 10_000, mayHaveArrived)]]);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ mayHaveArrived });
    expect(made).toHaveBeenCalledTimes(1);
  });

  it('releases a permit that comes after that', async () => {
    const release = jest.fn();
    const admit = () => new Promise((resolve) => setTimeout(resolve, 20_000, { release }));
    const onError = jest.fn();
    guard({ admit }).admit('generate').catch(onError);
    await jest.advanceTimersByTimeAsync(10_010);
    expect([onError.mock.calls.length, release.mock.calls.length]).toEqual([1, 0]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(release).toHaveBeenCalledTimes(1);
  });

  it('leaves no timer where it settles', async () => {
    const gateway = guard({});
    await gateway.generate(TEXT, FREE);
    await expect(gateway.validate(TYPED, FREE)).resolves.toBe('right');
    expect(jest.getTimerCount()).toBe(0);
  });
});

it('an error of the app keeps its name and a code that is known, and nothing else', async () => {
  const foreign = Object.assign(new TypeError('pin 123456'), { code: 'ECONNRESET', pin: '123456' });
  const failed = await guard({ validate: () => Promise.reject(foreign) })
    .validate(TYPED, FREE)
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(GatewayResponseError);
  expect(failed).toMatchObject({
    message:
      "The OTP gateway's answer is not as documented (validate): it threw an error that is " +
      'not one of this package',
    cause: { name: 'TypeError', code: 'ECONNRESET' },
  });
});
