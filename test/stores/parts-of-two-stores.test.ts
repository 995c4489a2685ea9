import { describe, expect, it } from '@jest/globals';
import { Passport } from 'passport';
import { createSmsOtp, memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';

/** No server is asked: the options are checked before a store is used. */
const away = (): Promise<never> => Promise.reject(new Error('no server is asked'));
const STORES: readonly (readonly [name: string, make: () => SmsOtpStore])[] = [
  ['memoryStore', () => memoryStore()],
  ['redisStore', () => redisStore({ status: 'wait', evalsha: away, eval: away })],
  ['postgresStore', () => postgresStore({ query: away })],
];

function create(store: SmsOtpStore): void {
  createSmsOtp({
    gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
    getPhone: () => null,
    secret: 'a secret of the tests, long enough to be one',
    loadUser: () => null,
    allowedCountries: 'any',
    passport: new Passport(),
    store,
  });
}

describe.each(STORES)('createSmsOtp with a %s', (_name, make) => {
  it.each([
    ['pendingLogins', 'counters'],
    ['counters', 'counters'],
    ['records', 'records'],
    ['tokens', 'tokens'],
    ['finish', 'finish'],
  ] as const)('refuses the %s of another store', (part, named) => {
    const mixed = { ...make(), [part]: Reflect.get(make(), part) as unknown };
    expect(() => create(mixed)).toThrow(
      new TypeError(
        `createSmsOtp: store must be a single store, but its ${named} and pendingLogins come from two`,
      ),
    );
  });

  it.each(STORES.filter(([name]) => name !== _name))(
    'refuses the records of a %s, with calls of the app around them',
    (_other, makeOther) => {
      const { records } = makeOther();
      const put: SmsOtpStore['records']['put'] = (given) => records.put(given);
      expect(() => create({ ...make(), records: { ...records, put } })).toThrow(TypeError);
    },
  );

  it('accepts a store whose calls have others around them', () => {
    const store = make();
    const put: SmsOtpStore['records']['put'] = (given) => store.records.put(given);
    const finish: SmsOtpStore['finish'] = (...given) => store.finish(...given);
    const counters = new Proxy(store.counters, {});
    // A part of another maker may answer every name.
    const tokens = new Proxy(store.tokens, { get: () => away });
    expect(() =>
      create({ ...store, counters, tokens, records: { ...store.records, put }, finish }),
    ).not.toThrow();
  });
});
