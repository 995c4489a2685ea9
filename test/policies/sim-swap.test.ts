import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { simSwap, type SimSwapProvider } from 'passport-sms-otp/policies';
import { startLookups, type LookupSetup } from './lookups/lookup-setup';

let setup: LookupSetup;
beforeEach(async () => {
  setup = await startLookups();
});
afterEach(() => setup.close());

const LOGIN = { stage: 'send', purpose: 'login' } as const;
const DENIED = { deny: 'denied', reasons: ['SIM swapped'] };

/** What a policy of that provider answers before a login, and what it tells. */
async function ask(provider: unknown, options: object = {}): Promise<unknown[]> {
  setup.events.length = 0;
  // Providers without types may be anything.
  const policy = simSwap({ provider: provider as SimSwapProvider, ...options });
  return [await policy.check(setup.context(LOGIN)), ...setup.events];
}

const hint = (text: string): object => ({ type: 'sim-swap-hint', userId: 'alice', hint: text });
const daysAgo = (days: number): string =>
  new Date(setup.clock.now() - days * 86_400_000).toISOString();

describe('simSwap', () => {
  it('has the stage send and the mode report by default', () => {
    const provider = { check: () => Promise.resolve({ swapped: null }) };
    expect(simSwap({ provider })).toMatchObject({
      name: 'sim-swap',
      stage: 'send',
      mode: 'report',
    });
    expect(simSwap({ provider, mode: 'enforce' }).mode).toBe('enforce');
  });

  it('denies what the provider reports as a change, and emits its hint', async () => {
    expect(await ask({ check: () => Promise.resolve({ swapped: true }) })).toEqual([DENIED]);
    expect(await ask({ check: () => Promise.resolve({ swapped: true, hint: 'ported' }) })).toEqual([
      DENIED,
      hint('ported'),
    ]);
    expect(await ask({ check: () => Promise.resolve({ swapped: null, hint: 'a sign' }) })).toEqual([
      'allow',
      hint('a sign'),
    ]);
  });

  it('asks about the number and the hours', async () => {
    const asked: unknown[] = [];
    const check: SimSwapProvider['check'] = ({ mobile }, question) => {
      asked.push([mobile, question]);
      return Promise.resolve({ swapped: false });
    };
    await ask({ check });
    await ask({ check }, { maxAgeHours: 240 });
    expect(asked).toEqual([
      ['+12025550123', { maxAgeHours: 72 }],
      ['+12025550123', { maxAgeHours: 240 }],
    ]);
  });

  it.each<[string, () => unknown]>([
    ['says no', () => Promise.resolve({ swapped: false })],
    ['does not know', () => Promise.resolve({ swapped: null })],
    ['answers nothing', () => undefined],
    ['answers a text', () => 'swapped'],
    ['answers "true"', () => ({ swapped: 'true', hint: 7 })],
    ['rejects', () => Promise.reject(new Error('away'))],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
  ])('lets pass when the provider %s', async (_what, check) => {
    expect(await ask({ check })).toEqual(['allow']);
  });

  it('lets pass when the provider is not in time', async () => {
    const provider = { check: () => new Promise(() => undefined) };
    const longer = ask(provider, { budgetMs: 1_000 });
    const shorter = ask(provider, { budgetMs: 100 }).then((told) => ['the shorter', ...told]);
    expect(await Promise.race([longer, shorter])).toEqual(['the shorter', 'allow']);
    expect(await longer).toEqual(['allow']);
  });

  it('shortens a hint of 1 MB', async () => {
    const told = await ask({
      check: () => Promise.resolve({ swapped: true, hint: 'x'.repeat(1_000_000) }),
    });
    expect(told).toEqual([DENIED, hint('x'.repeat(200))]);
  });

  it('does not ask about a number that is being enrolled', async () => {
    const policy = simSwap({ provider: { check: () => Promise.resolve({ swapped: true }) } });
    expect(await policy.check(setup.context({ stage: 'send', purpose: 'enroll' }))).toBe('allow');
  });

  it.each<[string, () => object, unknown]>([
    ['2 days ago', () => ({ latestSimChange: daysAgo(2) }), DENIED],
    ['4 days ago', () => ({ latestSimChange: daysAgo(4) }), 'allow'],
    ['in a time that is no time', () => ({ latestSimChange: 'yesterday' }), 'allow'],
    ['never, as far as is known', () => ({ latestSimChange: null }), 'allow'],
    ['not in 120 days', () => ({ latestSimChange: null, monitoredPeriodDays: 120 }), 'allow'],
  ])('reads the date of a provider that knows dates: %s', async (_when, date, answer) => {
    const told = await ask({ retrieveDate: () => Promise.resolve(date()) });
    expect(told[0]).toEqual(answer);
    expect(told.length).toBe(answer === 'allow' ? 1 : 2);
  });

  it.each<[string, unknown]>([
    ['options must be an object', undefined],
    ['provider is missing; it must be a provider', {}],
    ['provider must have check or retrieveDate', { provider: {} }],
    ['provider must have check or retrieveDate', { provider: { check: 'yes' } }],
    ['mode must be', { provider: { check: () => undefined }, mode: 'off' }],
    [
      'maxAgeHours must be a whole number',
      { provider: { check: () => undefined }, maxAgeHours: 2_401 },
    ],
    ['unknown option onChange', { provider: { check: () => undefined }, onChange: 'deny' }],
  ])('refuses options: %s', (problem, options) => {
    // Callers without types may pass anything.
    expect(() => simSwap(options as { provider: SimSwapProvider })).toThrow(
      new RegExp(`^simSwap: ${problem}`),
    );
  });
});
