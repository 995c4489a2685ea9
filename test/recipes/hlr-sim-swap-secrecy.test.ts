import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { numberCheck } from 'passport-sms-otp/policies';
import { hlrSimSwap } from '../../docs/recipes/hlr-sim-swap';
import { MOBILE, startLookups, type LookupSetup } from '../policies/lookups/lookup-setup';
import { tellAll } from '../support/canaries';
import { HOUR, KEY, walk } from './support/sim-walk';

let setup: LookupSetup;
beforeEach(async () => {
  setup = await startLookups({ readings: { invalidLookup: 'full' } });
});
afterEach(() => setup.close());

const SIMS = ['310260123454321', '310260678909876'];
const MSC = '12029998887';
const SECRETS = [...SIMS, ...SIMS.map((imsi) => imsi.slice(6)), MSC, MOBILE.slice(1)];

describe('subscriber identity, switching centre and number', () => {
  it('stand in no note, no event, no answer and no finding', async () => {
    const { policy, lookups, login } = walk(setup, { lookups: {}, onNetworkChange: 'deny' });
    const check = numberCheck({ lookups, stage: 'send' });
    const told: unknown[] = [];
    for (const [time, imsi] of [SIMS[0], SIMS[0], SIMS[0], SIMS[1], SIMS[1]].entries()) {
      setup.sim.subscribers.set(MOBILE, { imsi: imsi ?? '', msc: MSC, status: 'valid' });
      told.push(await login(12 * HOUR), await check.check(setup.context({ purpose: 'login' })));
      setup.sim.subscribers.set(MOBILE, { status: time % 2 === 0 ? 'invalid' : 'odd' });
      setup.clock.advanceSeconds(HOUR);
      told.push(
        await check.check(setup.context({ purpose: 'login' })),
        await policy.check(setup.context()),
      );
      told.push(
        await lookups.find(setup.context({ purpose: 'login' })),
        lookups.networkOf(setup.context()),
      );
    }
    expect([setup.notes.size, told.includes('deny'), setup.events.length > 2]).toEqual([
      1,
      true,
      true,
    ]);
    const all = tellAll([told, setup.events, [...setup.notes], policy, lookups]);
    expect(SECRETS.filter((secret) => all.includes(secret))).toEqual([]);
  });

  it('make another digest for every number, every identity and every key', async () => {
    const digests = new Set<unknown>();
    for (const key of [KEY, KEY + '2']) {
      for (const imsi of SIMS) {
        for (const mobile of [MOBILE, '+12025550120']) {
          setup.notes.clear();
          setup.sim.subscribers.set(mobile, { imsi, mcc: '310' });
          const provider = hlrSimSwap({ key, lookups: { maxPerUserPerDay: 1_000 } });
          await provider.verified?.(setup.verified({ mobile, purpose: 'enroll' }), {
            maxAgeHours: 72,
          });
          for (const note of setup.notes.values()) digests.add(Object(JSON.parse(note)).identity);
        }
      }
    }
    expect([
      digests.size,
      [...digests].every((digest) => /^[\w-]{43}$/.test(String(digest))),
    ]).toEqual([8, true]);
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['another version', '{"version":2}'],
    ['4,096 characters', 'x'.repeat(4_096)],
  ])('begin anew where a note cannot be read: %s', async (_what, text) => {
    const { login, learn, setSim } = walk(setup);
    await learn();
    const [key = ''] = [...setup.notes.keys()];
    await setup.context().notes.write(key, text, 1_000);
    setSim('310260678909876');
    expect(await login(HOUR)).toBe('allow');
    expect(Object(JSON.parse(setup.notes.get(key) ?? '')).state).toBe('learning');
  });
});
