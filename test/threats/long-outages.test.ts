import { describe, expect, it } from '@jest/globals';
import { isCompleteRun, VARIANTS_OF_LONG_RUNS } from '../support/complete-run';
import type { Fault } from '../support/gateway-faults';
import { ALICE, BOB, type TestApp, type TestUser } from '../support/test-app';
import { useApp } from '../support/use-app';
import { type Visit, visit, visitOverTls } from '../support/visit';

const HALF_HOUR_MS = 1_800_000;
const DAY_MS = 86_400_000;
/** The longest gap, and its spread. */
const LONGEST_GAP_SECONDS = 330;
/** Longer than the breaker looks back. */
const PAUSE_SECONDS = 11;

/** The gateway does what it is asked to, and answers with this. */
function actsAndAnswers(status: number, body: string): Fault {
  return { kind: 'body', status, body, when: 'after' };
}

const FAULTS: readonly (readonly [what: string, fault: Fault])[] = [
  ['resets the connection', { kind: 'reset', when: 'after' }],
  ['lets its proxy answer with a bare 502', { kind: 'html-502', when: 'after' }],
  [
    'lets its load balancer answer with a bare 503',
    { kind: 'status', status: 503, envelope: false, when: 'after' },
  ],
  ['answers with code 2121', { kind: 'error', code: 2121 }],
  ['answers with garbage', actsAndAnswers(200, '}{')],
];

type Breakdown = (test: TestApp) => void;

/** What fails for half an hour. */
const BREAKDOWNS: readonly (readonly [what: string, breakDown: Breakdown])[] = [
  ...(['generate', 'validate'] as const).flatMap((call) =>
    FAULTS.map(([what, fault]) => {
      const breakDown: Breakdown = ({ sim }) => sim.failNext(call, fault, Infinity);
      return [`the gateway ${what} at ${call}`, breakDown] as const;
    }),
  ),
  [
    'no session can be saved',
    ({ sessions }) => {
      sessions.failSets = true;
    },
  ],
];

function repair({ sim, sessions }: TestApp): void {
  sim.clearFaults();
  sessions.failSets = false;
}

/** Logs in, enters the code where there is one, and returns the seconds that the answer names. */
async function tryOnce(visitor: Visit): Promise<number | null> {
  visitor.leave();
  const answered = await visitor.login();
  if (answered.body.sent === true) await visitor.enterRight();
  return answered.status === 429 ? Number(answered.headers['retry-after']) : null;
}

/** For so long, each tries again as soon as its gap is over, or when a refusal says. */
async function keepTrying(
  { clock }: TestApp,
  visitors: readonly Visit[],
  forMs: number,
): Promise<void> {
  const endsAt = clock.now() + forMs;
  const waiting = visitors.map((visitor) => ({ visitor, dueAt: clock.now(), texts: 0 }));
  while (clock.now() < endsAt) {
    for (const one of waiting.filter(({ dueAt }) => dueAt <= clock.now())) {
      const named = await tryOnce(one.visitor);
      const gapSeconds = Math.min(300, 30 * 2 ** one.texts);
      if (named === null) one.texts += 1;
      one.dueAt = clock.now() + (named ?? gapSeconds) * 1000;
    }
    const nextAt = Math.min(endsAt, ...waiting.map(({ dueAt }) => dueAt));
    clock.advanceSeconds((nextAt - clock.now()) / 1000);
  }
}

/** Returns the statuses of a whole login. */
async function logIn(visitor: Visit): Promise<number[]> {
  visitor.leave();
  return [(await visitor.login()).status, (await visitor.enterRight()).status];
}

const IN = [200, 200];

/**
 * Five texts whose codes are not entered, long before: the gaps of half an hour have room for six
 * more, and the day has room for ten.
 */
async function leaveFiveTexts({ clock }: TestApp, visitor: Visit): Promise<void> {
  for (let text = 0; text < 5; text += 1) {
    visitor.leave();
    expect((await visitor.login()).status).toBe(200);
    clock.advanceSeconds(1_200);
  }
}

const CAROL: TestUser = { id: 'carol', phone: '+12025550125' };

describe.each(VARIANTS_OF_LONG_RUNS)('half an hour, variant %s,', (variant) => {
  const test = useApp({ variant, users: [ALICE, BOB, CAROL] });

  it.each(BREAKDOWNS)('in which %s keeps nobody out afterwards', async (_what, breakDown) => {
    const known = visitOverTls(test, ALICE);
    const withProvenNumber = visit(test, BOB);
    const neverHere = visit(test, CAROL);
    for (const visitor of [known, withProvenNumber]) {
      expect(await logIn(visitor)).toEqual(IN);
      await leaveFiveTexts(test, visitor);
    }
    const visitors = [known, withProvenNumber, neverHere];
    breakDown(test);
    await keepTrying(test, visitors, HALF_HOUR_MS);
    expect(test.told('verified')).toHaveLength(2);
    repair(test);
    test.clock.advanceSeconds(LONGEST_GAP_SECONDS);
    for (const visitor of visitors) expect(await logIn(visitor)).toEqual(IN);
    const reasons = new Set(test.told('denied').map(({ reason }) => reason));
    expect(
      [...reasons].filter((reason) => !['resend-too-soon', 'not-sent'].includes(reason)),
    ).toEqual([]);
    expect([test.told('locked'), test.told('disabled')]).toEqual([[], []]);
  });
});

describe.each(VARIANTS_OF_LONG_RUNS)('half an hour of resets, variant %s,', (variant) => {
  /** Half an hour of the longest gaps: 30 s, then twice as long, then 300 s, with their spread. */
  const GAPS_SECONDS = [33, 66, 132, 264, 330, 330, 330, 330];

  /** For what all of them have sent, whatever has become of it. */
  const simulator = { balance: '100000.0000' };

  /** Everybody behind an address of their own. */
  const crowd = (test: TestApp): Visit[] =>
    [...test.users.values()].map((user, index) =>
      visit(test, user, { 'x-forwarded-for': `198.18.${Math.floor(index / 250)}.${index % 250}` }),
    );

  /** All of them try again after each gap. Between two groups of a round there may be a pause. */
  async function keepAllTrying(
    test: TestApp,
    visitors: readonly Visit[],
    { size, pauseSeconds }: { readonly size: number; readonly pauseSeconds: number },
  ): Promise<void> {
    test.sim.failNext('generate', { kind: 'reset', when: 'after' }, Infinity);
    for (const gapSeconds of GAPS_SECONDS) {
      for (let from = 0; from < visitors.length; from += size) {
        const group = visitors.slice(from, from + size);
        await Promise.all(group.map((visitor) => visitor.login()));
        test.clock.advanceSeconds(pauseSeconds);
      }
      test.clock.advanceSeconds(gapSeconds);
    }
    repair(test);
  }

  async function expectAllIn(test: TestApp, visitors: readonly Visit[]): Promise<void> {
    // The breaker lets one call find out whether the gateway is back.
    const [first, ...others] = visitors;
    if (first !== undefined) expect(await logIn(first)).toEqual(IN);
    for (let from = 0; from < others.length; from += 20) {
      const entered = await Promise.all(others.slice(from, from + 20).map(logIn));
      expect(entered.filter((statuses) => statuses.some((status) => status !== 200))).toEqual([]);
    }
    expect(test.told('verified')).toHaveLength(visitors.length);
  }

  describe('in which all of many users try again at once,', () => {
    const many = isCompleteRun ? 2_000 : 24;
    const test = useApp({ variant, simulator, people: many, trustProxy: 1 });

    it('keeps none of them out afterwards', async () => {
      const visitors = crowd(test);
      await keepAllTrying(test, visitors, { size: 200, pauseSeconds: 0 });
      await expectAllIn(test, visitors);
    });
  });

  describe('that the breaker does not see,', () => {
    const few = isCompleteRun ? 200 : 20;
    const total = few * 3;
    const limits = { total: { max: total } };
    const test = useApp({ variant, simulator, people: few, trustProxy: 1, options: { limits } });

    it('leaves the sends in all to those who come afterwards', async () => {
      const visitors = crowd(test);
      await keepAllTrying(test, visitors, { size: 10, pauseSeconds: PAUSE_SECONDS });
      expect(test.sim.stats().calls.generate).toBeGreaterThan(total);
      await expectAllIn(test, visitors);
    });
  });
});

describe.each(VARIANTS_OF_LONG_RUNS)('a gateway of variant %s that texts', (variant) => {
  // While a token is renewed, the gateway may refuse the old one. The client then sends the message
  // once more, but the fault hides that refusal from it. So the token lasts longer than the test.
  const lasting = variant === 'A' ? { tokenValiditySeconds: 86_400 } : {};
  const test = useApp({ variant, gateway: lasting });
  const rejection = (code: number): string =>
    JSON.stringify({ status_code: 500, payload: null, errors: [{ code }] });

  it.each<[what: string, fault: Fault]>([
    ['503 in the envelope', { kind: 'status', status: 503, when: 'after' }],
    ['400 and a code of no list', actsAndAnswers(400, rejection(2199))],
    ['500 and a code that excludes a text', actsAndAnswers(500, rejection(2100))],
  ])(
    'and answers %s sends 20 texts a day for other browsers and 40 for known ones',
    async (_what, fault) => {
      const known = visitOverTls(test);
      expect(await logIn(known)).toEqual(IN);
      test.sim.failNext('generate', fault, Infinity);
      await keepTrying(test, [visit(test)], DAY_MS);
      // The first one made the other browser a known one.
      expect(test.sim.stats().sent).toBe(20);
      await keepTrying(test, [known], DAY_MS);
      expect(test.sim.stats().sent).toBe(60);
    },
  );
});

describe.each(VARIANTS_OF_LONG_RUNS)('six hours of resets, variant %s,', (variant) => {
  const test = useApp({ variant, hasFactors: true, users: [ALICE, BOB] });

  it('leave those waiting whom the documents name, and help what they say', async () => {
    const codes = await test.firstCodes(BOB);
    const known = visitOverTls(test, ALICE);
    expect(await logIn(known)).toEqual(IN);
    const [elsewhere, unproven] = [visit(test, ALICE), visit(test, BOB)];
    test.sim.failNext('generate', { kind: 'reset', when: 'after' }, Infinity);
    await keepTrying(test, [known, elsewhere, unproven], 12 * HALF_HOUR_MS);
    repair(test);
    test.clock.advanceSeconds(LONGEST_GAP_SECONDS);
    for (const visitor of [known, elsewhere, unproven]) {
      visitor.leave();
      expect((await visitor.login()).body).toMatchObject({ error: 'send-limit' });
    }
    await test.smsOtp.unlockUser(ALICE.id);
    for (const visitor of [known, elsewhere]) expect(await logIn(visitor)).toEqual(IN);
    // The day's texts to a number that is not proven yet are the number's, and not its user's.
    await test.smsOtp.unlockUser(BOB.id);
    expect((await unproven.login()).body).toMatchObject({ error: 'send-limit' });
    expect((await unproven.recover(codes[0])).body).toMatchObject({ verified: true });
    test.clock.advanceSeconds(DAY_MS / 1000);
    expect(await logIn(unproven)).toEqual(IN);
  });
});
