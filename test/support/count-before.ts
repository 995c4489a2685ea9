import type { Counter } from 'passport-sms-otp';
import type { TestApp } from './test-app';

/**
 * Counts what has happened before the test begins, under a key of the limits. The app of the test
 * is started with `isTampered`, or with a store of its own.
 * @param amount The count that is added.
 */
export async function countBefore(
  { store }: Pick<TestApp, 'store'>,
  key: string,
  amount: number,
  windowSeconds = 86_400,
): Promise<void> {
  await store.counters.charge([{ key, windowSeconds, amount }]);
}

/** Returns the key that has been charged and that fits: keys of numbers are HMACs. */
export function findChargedKey({ tampered }: Pick<TestApp, 'tampered'>, fitting: RegExp): string {
  const charged = tampered.calls.flatMap(({ call, given: [counters] }) =>
    call === 'charge' ? (counters as readonly Counter[]) : [],
  );
  const found = charged.find(({ key }) => fitting.test(key));
  if (found === undefined) throw new Error(`no key that fits ${fitting} was charged`);
  return found.key;
}
