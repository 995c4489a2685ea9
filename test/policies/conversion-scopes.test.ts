import { afterEach, describe, expect, it } from '@jest/globals';
import { conversionBreaker, type ConversionBreakerOptions } from 'passport-sms-otp/policies';
import { testClock } from '../support/clock';
import { tamperedStore } from '../support/tampered-store';
import { NOON, numberOf, repeat, startTraffic, type Traffic } from './traffic';

let traffic: Traffic;
const open = async (options: ConversionBreakerOptions = {}): Promise<void> => {
  traffic = await startTraffic([conversionBreaker({ mode: 'enforce', ...options })]);
};
afterEach(() => traffic.test.close());

interface Network {
  mcc: string;
  mnc: string;
}

/** A number of France, each of a prefix of its own. */
const french = (index: number): string => `+336${1000 + index}1234`;
/** Of Germany. */
const german = (index: number): string => `+49151${1000 + index}1234`;

const blockedScopes = (): string[] =>
  traffic.test.events.flatMap((event) =>
    event.type === 'conversion-blocked' ? [event.scope] : [],
  );

describe('the conversion of a country', () => {
  it('is counted over its prefixes from 50 messages on, and other countries are not blocked', async () => {
    await open();
    await repeat(49, (index) => traffic.login(french(index)));
    traffic.minutes(13);
    expect((await traffic.login(french(50))).isSent).toBe(true);
    traffic.minutes(13);
    expect((await traffic.login(french(51))).isSent).toBe(false);
    expect(blockedScopes()).toEqual(['country FR']);
    expect((await traffic.login(german(1))).isSent).toBe(true);
  });

  it('stays good beside bad prefixes', async () => {
    await open();
    const bad = ['+3379997', '+3379998', '+3379999'];
    await repeat(16, (index) =>
      Promise.all(bad.map((prefix) => traffic.login(numberOf(prefix, index)))),
    );
    traffic.minutes(13);
    for (const prefix of bad)
      expect((await traffic.login(numberOf(prefix, 99))).isSent).toBe(false);
    expect(blockedScopes()).toEqual(['prefix', 'prefix', 'prefix']);
    expect((await traffic.login(french(99))).isSent).toBe(true);
  });
});

describe('the conversion of a network', () => {
  const networkOf = ({ mobile }: { mobile: string }): Network | null =>
    mobile.startsWith('+4') ? { mcc: '262', mnc: '01' } : null;

  it('is counted where it is known, whatever the prefix and the country', async () => {
    await open({ networkOf });
    await repeat(25, (index) => traffic.login(german(index)));
    await repeat(25, (index) => traffic.login(`+43664${1000 + index}1234`));
    traffic.minutes(13);
    expect((await traffic.login('+41791234567')).isSent).toBe(false);
    expect(blockedScopes()).toEqual(['network 262-01']);
    expect((await traffic.login(french(1))).isSent).toBe(true);
  });

  it('may be found asynchronously', async () => {
    await open({ networkOf: (context) => Promise.resolve(networkOf(context)) });
    await repeat(50, (index) => traffic.login(german(index)));
    traffic.minutes(13);
    expect((await traffic.login('+41791234567')).isSent).toBe(false);
    expect(blockedScopes()).toEqual(['network 262-01']);
  });

  it('counts a right code where its text message was counted, though the network is not known any more', async () => {
    let isKnown = true;
    await open({ networkOf: (context) => (isKnown ? networkOf(context) : null) });
    await repeat(60, async (index) => {
      const { visitor } = await traffic.login(`+43664${1000 + index}1234`);
      isKnown = false;
      await visitor.enterRight();
      isKnown = true;
    });
    traffic.minutes(13);
    expect((await traffic.login('+41791234567')).isSent).toBe(true);
    expect(blockedScopes()).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no network');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no network'))],
    ['answers nothing', () => undefined],
    ['answers a word', () => 'Rheinfunk'],
    ['answers without a network', () => ({ mcc: '262', mnc: null })],
    ['answers a part of a key', () => ({ mcc: '262', mnc: '01:1' })],
  ])('is ignored when networkOf %s, and prefix and country are counted', async (_what, odd) => {
    // What has no types may answer anything.
    await open({ networkOf: odd as () => Network });
    await repeat(50, (index) => traffic.login(german(index)));
    traffic.minutes(13);
    expect((await traffic.login(german(99))).isSent).toBe(false);
    expect(blockedScopes()).toEqual(['country DE']);
  });
});

describe('what is stored of the conversion', () => {
  it('takes one call before a send, one after it and one after a right code, and tells no number', async () => {
    const clock = testClock(NOON);
    const { store, calls } = tamperedStore(clock);
    traffic = await startTraffic([conversionBreaker()], { store }, { clock });
    await traffic.answer('+33612345678');
    await traffic.test.agent().get('/status');
    const charged = calls
      .filter(({ call }) => call === 'charge')
      .map(({ given }) => JSON.stringify(given[0]))
      .filter((text) => text.includes('conversion:'));
    expect(charged).toHaveLength(3);
    expect(charged.join()).not.toMatch(/336|1234|5678/);
  });

  it('with an unexpected answer is an accident of the store: 503, and nothing is sent', async () => {
    const clock = testClock(NOON);
    const tampered = tamperedStore(clock);
    const { store, calls } = tampered;
    traffic = await startTraffic([conversionBreaker({ mode: 'enforce' })], { store }, { clock });
    tampered.tamper('charge', () => Promise.resolve({ refusedBy: null, counts: [] }));
    const { response } = await traffic.login('+33612345678');
    expect([response.status, response.body]).toEqual([503, { code: 'ERR_STORE' }]);
    expect(calls.filter(({ call }) => call === 'charge')).toHaveLength(1);
    expect(traffic.test.sim.stats().calls.generate).toBe(0);
  });
});
