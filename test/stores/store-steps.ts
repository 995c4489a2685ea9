import fc from 'fast-check';

import { checkFinish } from '../../src/stores/check-values';
import type { BeginOptions, Charge, Counter, PutResult, SmsOtpStore } from '../../src/stores/store';

type Run = (store: SmsOtpStore) => Promise<unknown>;

/** One call, with what its answer says apart from the time that passes between two stores. */
export interface Step {
  readonly text: string;
  readonly run: Run;
}

const key = fc.constantFrom('a', 'b', 'c', 'd');
const counter: fc.Arbitrary<Counter> = fc.record(
  {
    key,
    windowSeconds: fc.constantFrom(null, 5_000, 9_000),
    amount: fc.oneof(
      fc.integer({ min: -4, max: 5 }),
      fc.constantFrom(Number.MAX_SAFE_INTEGER, -(2 ** 52)),
    ),
    max: fc.nat(6),
    isOnlyRead: fc.boolean(),
    exemptBy: fc.uniqueArray(key),
    lock: fc.record({
      every: fc.integer({ min: 1, max: 3 }),
      seconds: fc.array(fc.constantFrom(0, 3_000, 7_000), { minLength: 1, maxLength: 3 }),
    }),
  },
  { requiredKeys: ['key', 'windowSeconds'] },
);
const counters = fc.uniqueArray(counter, { selector: (one) => one.key, maxLength: 4 });
const id = fc.constantFrom('x', 'y', 'z', 'w');
const user = fc.constantFrom('user', 'other');
const life = fc.constantFrom(600, 700);
const otp = fc.record({ otpId: id, value: fc.json({ maxDepth: 1 }) });
const word = fc.constantFrom('p', 'q');
const login = fc.record(
  {
    ...{ pendingId: id, userId: user, place: word, side: word, block: word },
    ...{ sender: word, series: word, value: fc.json() },
  },
  { requiredKeys: ['pendingId', 'userId', 'place', 'side', 'block', 'value'] },
);
const begin: fc.Arbitrary<BeginOptions> = fc.record({
  ttlSeconds: life,
  most: fc.integer({ min: 1, max: 3 }),
  protectedSeconds: fc.constantFrom(600, 1_000),
  joinSeconds: fc.constantFrom(0, 600),
});
const attaching = fc.record({ endsPrevious: fc.boolean() });
const claim = fc.oneof(
  fc.record(
    { of: fc.constant('otp'), otpId: id, most: fc.integer({ min: 1, max: 3 }) },
    { requiredKeys: ['of', 'most'] },
  ),
  fc.record({ of: fc.constantFrom('totp', 'x'), most: fc.integer({ min: 1, max: 3 }) }),
);

const of = fc.record({ kind: fc.constantFrom('login', 'device'), owner: user });
const reference = fc.record({ kind: fc.constantFrom('login', 'device'), owner: user, id });
const tag = fc.constantFrom('t1', 't2');
const record = fc.record({
  ...{ id, tag, value: fc.json({ maxDepth: 1 }) },
  rank: fc.constantFrom(0, 1, 2, 0.1 + 0.2, -1e21),
});
const put = fc.record(
  {
    ...{ kind: fc.constantFrom('login', 'device'), owner: user, record },
    ...{ ttlSeconds: fc.constantFrom(600, null), most: fc.integer({ min: 1, max: 3 }) },
    ifNone: fc.boolean(),
  },
  { requiredKeys: ['kind', 'owner', 'record', 'ttlSeconds'] },
);

const putOfFinish = fc
  .tuple(put, fc.option(tag, { nil: undefined }))
  .map(([asked, ifTag]) => (ifTag === undefined ? asked : { ...asked, ifNone: false, ifTag }));
const finish = fc
  .record(
    {
      ...{
        otpId: id,
        acceptsPassed: fc.boolean(),
        leavesMark: fc.boolean(),
        clears: fc.uniqueArray(key),
        replaces: reference,
      },
      charges: counters,
      puts: fc.array(putOfFinish, { maxLength: 3 }),
    },
    { requiredKeys: ['leavesMark', 'clears', 'charges', 'puts'] },
  )
  .map(({ charges, ...options }) => ({
    ...options,
    charges: charges.map(({ max: _max, exemptBy: _exemptBy, ...charge }) => charge),
  }))
  // The library hands no others to a store.
  .filter((options) => {
    try {
      checkFinish(options);
      return true;
    } catch {
      return false;
    }
  });

const stepOfCounters: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: counters.map((all) =>
      toStep('charge', all, async (s) => timeless(await s.counters.charge(all))),
    ),
  },
  fc
    .tuple(fc.array(key), fc.boolean())
    .map(([keys, keepsLocked]) =>
      toStep('clear', [keys, keepsLocked], (s) => s.counters.clear(keys, { keepsLocked })),
    ),
  fc.array(key).map((keys) => toStep('unlock', keys, (s) => s.counters.unlock(keys))),
);

const stepOfLogins: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(login, begin)
      .map((given) => toStep('begin', given, (s) => orRefused(s.pendingLogins.begin(...given)))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(id, otp, attaching)
      .map((given) => toStep('attach', given, (s) => s.pendingLogins.attach(...given))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(id, claim)
      .map((given) => toStep('claim', given, (s) => s.pendingLogins.claim(...given))),
  },
  id.map((one) => toStep('find', one, (s) => s.pendingLogins.find(one))),
  fc
    .tuple(user, word)
    .map((given) => toStep('findNewest', given, (s) => s.pendingLogins.findNewest(...given))),
  fc
    .tuple(id, fc.record({ otpId: id }, { requiredKeys: [] }))
    .map((given) => toStep('end', given, (s) => s.pendingLogins.end(...given))),
  fc
    .tuple(user, fc.option(id, { nil: undefined }))
    .map((given) => toStep('endAll', given, (s) => s.pendingLogins.endAll(...given))),
  {
    weight: 3,
    arbitrary: fc.tuple(id, finish).map((given) =>
      toStep('finish', given, async (s) => {
        const finished = await s.finish(...given);
        return finished.isFinished
          ? { ...finished, results: finished.results.map(toSorted) }
          : finished;
      }),
    ),
  },
);

const stepOfRecords: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: put.map((one) =>
      toStep('put', one, async (s) => toSorted(await s.records.put(one))),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(reference, tag, record, life)
      .map((given) => toStep('swap', given, (s) => s.records.swap(...given))),
  },
  reference.map((one) => toStep('find record', one, (s) => s.records.find(one))),
  of.map((one) => toStep('list', one, (s) => s.records.list(one))),
  fc
    .tuple(reference, fc.option(tag, { nil: undefined }))
    .map((given) => toStep('remove', given, (s) => s.records.remove(...given))),
  fc
    .tuple(of, fc.option(id, { nil: undefined }))
    .map((given) =>
      toStep('removeAll', given, async (s) => [...(await s.records.removeAll(...given))].sort()),
    ),
);

export const step: fc.Arbitrary<Step> = fc.oneof(stepOfCounters, stepOfLogins, stepOfRecords);

/** Every store refuses an id that it has already. */
async function orRefused<Result>(call: Promise<Result>): Promise<Result | 'refused'> {
  return call.catch((error: unknown) => {
    if (String(error).includes('begin: the id is taken')) return 'refused';
    throw error;
  });
}

function toSorted(result: PutResult): PutResult {
  return { ...result, gone: result.gone.toSorted() };
}

function toStep(name: string, values: unknown, run: Run): Step {
  // The text is what a failing sequence is reported by.
  return { text: `${name} ${JSON.stringify(values)}`, run };
}

function timeless({ refusedBy, counts }: Charge): unknown {
  const toTimeless = (seconds: number | null): unknown =>
    seconds === null ? null : Math.round(seconds / 1_000);
  return {
    refusedBy,
    counts: counts.map(({ count, resetSeconds, lockedSeconds }) => [
      count,
      toTimeless(resetSeconds),
      toTimeless(lockedSeconds),
    ]),
  };
}
