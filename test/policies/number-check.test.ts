import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Policy, type PolicyEvent } from 'passport-sms-otp';
import { numberCheck, numberLookups } from 'passport-sms-otp/policies';
import { ADVANCED_STATUSES } from '../../src/protocol/hlr';
import { MOBILE, startLookups, type LookupSetup } from './lookups/lookup-setup';

let setup: LookupSetup;
beforeEach(async () => {
  setup = await startLookups();
});
afterEach(() => setup.close());

/** What a policy makes of a number at enrollment: its word in short, and what was told. */
async function runCheck(
  policy: Policy<unknown>,
  changes: object = {},
): Promise<[unknown, PolicyEvent[]]> {
  setup.events.length = 0;
  return [await policy.check(setup.context(changes)), [...setup.events]];
}

const LOGIN = { stage: 'send', purpose: 'login' } as const;
const doubt = (reason: string): PolicyEvent => ({
  type: 'number-doubtful',
  userId: 'alice',
  reason,
});
const denial = (...reasons: string[]): object => ({ deny: 'unsuitable-phone', reasons });

/**
 * Status, what enrollment and login make of it (`-`: sends and says nothing), lookups made for one
 * answer.
 */
const TABLE: readonly (readonly [
  status: string,
  enroll: string,
  login: string,
  lookups: number,
])[] = [
  ['ABSENT_SUBSCRIBER_SM', 'warn', 'warn', 1],
  ['UNKNOWN_SUBSCRIBER', 'deny', 'warn', 1],
  ['TELE_SERVICE_NOT_PROVISIONED', 'deny', 'deny', 1],
  ['FACILITY_NOT_SUPPORTED', 'deny', 'warn', 1],
  ['CALL_BARRED', 'warn', '-', 1],
  ['DATA_MISSING', 'warn', 'warn', 1],
  ['UNEXPECTED_DATA_VALUE', 'warn', 'warn', 1],
  ['HLR_REJECT', 'warn', 'warn', 1],
  ['HLR_ABORT', 'warn', 'warn', 1],
  ['HLR_LOCAL_CANCEL', 'warn', 'warn', 2],
  ['TIMEOUT', 'warn', 'warn', 2],
  ['SYSTEM_FAILURE', 'warn', 'warn', 2],
];
const LASTING = ['UNKNOWN_SUBSCRIBER', 'TELE_SERVICE_NOT_PROVISIONED', 'FACILITY_NOT_SUPPORTED'];

function expected(word: string, status: string): [unknown, PolicyEvent[]] {
  const lasting = LASTING.includes(status) ? 'lasting' : 'may pass';
  if (word === 'deny') return [denial(status, lasting), []];
  return ['allow', word === 'warn' ? [doubt(`${status}, ${lasting}`)] : []];
}

describe('the number check', () => {
  it('knows every status of the document', () => {
    expect(TABLE.map(([status]) => status).sort()).toEqual([...ADVANCED_STATUSES].sort());
  });

  it.each(TABLE)(
    'meets %s: at enrollment %s, at login %s',
    async (advancedStatus, enroll, login, lookups) => {
      setup.sim.subscribers.set(MOBILE, { status: 'invalid', advancedStatus });
      expect(await runCheck(numberCheck())).toEqual(expected(enroll, advancedStatus));
      expect(setup.lookups()).toBe(lookups);
      expect(await runCheck(numberCheck({ stage: 'send' }), LOGIN)).toEqual(
        expected(login, advancedStatus),
      );
    },
  );

  it('allows a valid number without an event', async () => {
    expect(await runCheck(numberCheck())).toEqual(['allow', []]);
    expect(setup.lookups()).toBe(1);
  });

  it('has the stage enroll and the mode report by default', () => {
    expect(numberCheck()).toMatchObject({ name: 'number-check', stage: 'enroll', mode: 'report' });
    expect(numberCheck({ stage: 'send', mode: 'enforce' })).toMatchObject({
      stage: 'send',
      mode: 'enforce',
    });
  });

  it.each([
    ['invalid and nothing beside it', { status: 'invalid' }, 'invalid, may pass'],
    ['error', { status: 'error' }, 'error, may pass'],
    [
      'error, whatever is beside it',
      { status: 'error', advancedStatus: 'UNKNOWN_SUBSCRIBER' },
      'error, may pass',
    ],
    ['a newer status', { status: 'ported' }, 'unknown status ported, may pass'],
    [
      'a newer advanced status',
      { status: 'invalid', advancedStatus: 'REQUEST_THROTTLED' },
      'unknown status REQUEST_THROTTLED, may pass',
    ],
    [
      'a word in another case',
      { status: 'invalid', advancedStatus: 'unknown_subscriber' },
      'unknown status unknown_subscriber, may pass',
    ],
    ['a status with a number', { status: '+12025550123' }, 'unknown status (unreadable), may pass'],
    [
      'a status of 60,000 letters',
      { status: 'x'.repeat(60_000) },
      'unknown status (unreadable), may pass',
    ],
    [
      'a name of the prototype',
      { status: 'invalid', advancedStatus: 'constructor' },
      'unknown status constructor, may pass',
    ],
  ])('sends and emits an event at status %s', async (_what, subscriber, because) => {
    setup.sim.subscribers.set(MOBILE, subscriber);
    expect(await runCheck(numberCheck())).toEqual(['allow', [doubt(because)]]);
  });

  it('denies what is inconclusive when the option says so', async () => {
    setup.sim.subscribers.set(MOBILE, { status: 'error' });
    const strict = numberCheck({ onInconclusive: 'deny' });
    expect(await runCheck(strict)).toEqual([denial('error', 'may pass'), []]);
    setup.sim.subscribers.set(MOBILE, {
      status: 'invalid',
      advancedStatus: 'ABSENT_SUBSCRIBER_SM',
    });
    expect((await runCheck(strict))[0]).toBe('allow');
  });

  it('denies an unknown subscriber at login only when the next lookup says the same', async () => {
    const check = numberCheck({ stage: 'send' });
    setup.sim.subscribers.set(MOBILE, { status: 'invalid', advancedStatus: 'UNKNOWN_SUBSCRIBER' });
    const words: unknown[] = [];
    for (const seconds of [0, 599, 1, 599]) {
      setup.clock.advanceSeconds(seconds);
      words.push((await runCheck(check, LOGIN))[0] === 'allow' ? 'sends' : 'denies');
    }
    expect([words, setup.lookups()]).toEqual([['sends', 'sends', 'denies', 'denies'], 2]);
    setup.sim.subscribers.delete(MOBILE);
    setup.clock.advanceSeconds(1);
    expect(await runCheck(check, LOGIN)).toEqual(['allow', []]);
  });

  it('counts results in a row only when they are the same', async () => {
    const check = numberCheck({ stage: 'send' });
    const answers: unknown[] = [];
    for (const advancedStatus of [
      'UNKNOWN_SUBSCRIBER',
      'ABSENT_SUBSCRIBER_SM',
      'UNKNOWN_SUBSCRIBER',
    ]) {
      setup.sim.subscribers.set(MOBILE, { status: 'invalid', advancedStatus });
      answers.push((await runCheck(check, LOGIN))[0]);
      setup.clock.advanceSeconds(600);
    }
    setup.sim.failNext('lookup', 'reset');
    answers.push((await runCheck(check, LOGIN))[0]);
    expect(answers).toEqual(Array(4).fill('allow'));
    expect((await runCheck(check, LOGIN))[0]).toEqual(denial('UNKNOWN_SUBSCRIBER', 'lasting'));
  });

  it('denies a user who has had as many lookups as a day allows', async () => {
    const check = numberCheck({ lookups: numberLookups({ maxPerUserPerDay: 2 }) });
    const numbers = ['+12025550120', '+12025550121', '+12025550122'];
    const answers: unknown[] = [];
    for (const mobile of numbers) answers.push(await check.check(setup.context({ mobile })));
    expect(answers).toEqual([
      'allow',
      'allow',
      { deny: 'send-limit', retryAfterSeconds: 86_400, reasons: ['too-many', 'may pass'] },
    ]);
    expect(setup.lookups()).toBe(2);
    expect(await check.check(setup.context({ mobile: numbers[2] ?? '', userId: 'bob' }))).toBe(
      'allow',
    );
    expect(await check.check(setup.context({ mobile: numbers[0] ?? '' }))).toBe('allow');
  });

  it('never denies a login because lookups are used up, and counts each side apart', async () => {
    const lookups = numberLookups({ maxPerUserPerDay: 2 });
    const check = numberCheck({ stage: 'send', onInconclusive: 'deny', lookups });
    const answers: unknown[] = [];
    for (const [last, side] of [
      [20, 'others'],
      [21, 'others'],
      [22, 'others'],
      [23, 'known'],
      [24, 'known'],
      [25, 'known'],
    ] as const) {
      const changes = { ...LOGIN, side, mobile: `+120255501${last}` };
      answers.push((await runCheck(check, changes))[0]);
    }
    expect([answers, setup.lookups()]).toEqual([Array(6).fill('allow'), 4]);
    expect(setup.events).toEqual([doubt('too-many, may pass')]);
  });

  it('has a too-many of one user answer no other user', async () => {
    const check = numberCheck({ lookups: numberLookups({ maxPerUserPerDay: 1 }) });
    await check.check(setup.context({ mobile: '+12025550120' }));
    const answers = await Promise.all(
      ['alice', 'bob', 'carol', 'alice'].map(async (userId) =>
        check.check(setup.context({ userId })),
      ),
    );
    const tooMany = { deny: 'send-limit', retryAfterSeconds: 86_400 };
    expect(answers).toMatchObject([tooMany, 'allow', 'allow', 'allow']);
    expect(setup.lookups()).toBe(2);
  });

  it.each<[string, unknown]>([
    ['unknown option stages', { stages: ['enroll'] }],
    ['stage must be', { stage: 'login' }],
    ['mode must be', { mode: 'observe' }],
    ['onInconclusive must be', { onInconclusive: 'challenge' }],
    ['budgetMs must be a whole number', { budgetMs: 0 }],
    ['lookups must be made by numberLookups', { lookups: {} }],
    ['budgetMs belongs to numberLookups', { budgetMs: 500, lookups: numberLookups() }],
    ['options must be an object', null],
  ])('refuses options: %s', (problem, options) => {
    // Callers without types may pass anything.
    expect(() => numberCheck(options as object)).toThrow(new RegExp(`^numberCheck: ${problem}`));
  });
});
