import { HOME, NEW } from './app';
import { isEmpty, isWorthless, type Outcome, type Reply, type SessionView } from './outcome';
import type { Scenario, State } from './scenarios';

/** Something that must not be true afterwards, whatever the order. */
export type Harm =
  | 'two successes of one code'
  | 'more codes judged than a challenge admits'
  | 'in without a code'
  | 'a success is worth nothing'
  | 'a number without its code'
  | 'an accident without a fault'
  | 'shut out afterwards'
  | 'the old session is logged in after a renewal'
  | 'the old session is back after a renewal'
  | 'a logout was undone'
  | 'a cancel was undone'
  | 'a text was announced, and its code can be entered nowhere'
  | 'a text went out, and nobody was told'
  | 'a recovery code was spent for nothing';

const MOST_JUDGED = 2;
const CODES_LEFT_AFTER_ONE = 9;
const LOGGED_IN: readonly State[] = ['logged-in', 'stepping-up', 'approving', 'enrolling'];

/**
 * What a code, or a recovery code in its place, was right for. All requests of an order have the
 * same ones.
 */
const CODE_VERBS = /^(right|confirm|recover)/;
/** What the token of a trusted device is right for: the next one takes its place. */
const DEVICE_VERB = /^device/;
/** Requests that begin anew, whatever was before. */
const BEGINNING = /^otp:(send|device|step-up|transaction|enroll)/;

/** Everything a rule looks at. */
export interface Facts {
  readonly outcome: Outcome;
  readonly scenario: Scenario;
  /** The session whose cookie all requests have left with. */
  readonly before: SessionView | undefined;
  readonly told: (said: string) => readonly Reply[];
  /** Whether nothing has gone wrong on the way. */
  readonly isWhole: boolean;
  /** Whether a request has put another session in the place of that one. */
  readonly isRenewed: boolean;
  /** Whether someone waits for this text, or for any, and its code can be entered. */
  readonly canEnter: (otpId?: string) => boolean;
  /** Whether a request has ended what was pending, and was told so. */
  readonly isEnded: boolean;
  /** Whether a request was told that something has begun for which no text went out. */
  readonly hasBegunWithoutText: boolean;
  /** Whether another request has ended what the text of this one was for, and was told so. */
  readonly isOver: (sender: Pick<Reply, 'request'>) => boolean;
}

/** A rule is worth something only where the situation that it guards is reached. */
interface Rule {
  readonly isBroken: (facts: Facts) => boolean;
  readonly isReached: (facts: Facts) => boolean;
}

const RULES: Readonly<Record<Harm, Rule>> = {
  'two successes of one code': {
    isBroken: ({ told }) =>
      [CODE_VERBS, DEVICE_VERB].some(
        (verbs) => told('verified').filter(({ request }) => verbs.test(request)).length > 1,
      ),
    isReached: ({ outcome }) =>
      outcome.judged.some((count) => count > 1) && outcome.right.length > 0,
  },
  'more codes judged than a challenge admits': {
    isBroken: ({ outcome }) => outcome.judged.some((count) => count > MOST_JUDGED),
    isReached: ({ outcome }) => outcome.judged.some((count) => count === MOST_JUDGED),
  },
  'in without a code': {
    isBroken: ({ outcome, scenario, told, isWhole }) =>
      (told('passed').length > 0 && !LOGGED_IN.includes(scenario.state)) ||
      outcome.sessions.some(({ cookie, user }) => {
        if (user === null) return false;
        if (cookie === 'before') return !LOGGED_IN.includes(scenario.state);
        // A success whose answer was lost is told nothing.
        if (!isWhole) return !cookie.startsWith('device') && !hasSpentCode(outcome);
        return !told('verified').some(({ request }) => request === cookie);
      }),
    isReached: ({ scenario, told }) =>
      !LOGGED_IN.includes(scenario.state) && told('invalid-code').length > 0,
  },
  'a success is worth nothing': {
    // Who has logged out as well is out, and a changed number ends all other logins.
    isBroken: ({ outcome: { sessions, numbers }, told }) =>
      told('out').length === 0 &&
      !numbers.includes(NEW) &&
      told('verified').some(
        ({ request }) => !sessions.some(({ cookie, hasMark }) => cookie === request && hasMark),
      ),
    isReached: ({ told }) => told('verified').length > 0,
  },
  'a number without its code': {
    isBroken: ({ outcome: { numbers, right } }) =>
      !numbers.includes(HOME) || (numbers.includes(NEW) && !right.includes(NEW)),
    isReached: ({ outcome: { numbers } }) => numbers.includes(NEW),
  },
  'an accident without a fault': {
    isBroken: ({ outcome, isWhole }) =>
      isWhole && outcome.replies.some(({ status }) => status >= 500),
    isReached: ({ isWhole }) => isWhole,
  },
  'shut out afterwards': {
    isBroken: ({ outcome }) => outcome.isShutOut === true,
    isReached: ({ outcome }) => outcome.isShutOut === false,
  },
  'the old session is logged in after a renewal': {
    isBroken: ({ before, isRenewed }) => isRenewed && before?.hasMark === true,
    isReached: ({ scenario, isRenewed }) => LOGGED_IN.includes(scenario.state) && isRenewed,
  },
  'the old session is back after a renewal': {
    isBroken: ({ before, isRenewed }) =>
      isRenewed && before?.user === null && before.waitsFor !== null,
    isReached: ({ scenario, isRenewed }) => !LOGGED_IN.includes(scenario.state) && isRenewed,
  },
  'a logout was undone': {
    isBroken: ({ before, told }) =>
      told('out').length > 0 && before !== undefined && !isWorthless(before) && !isEmpty(before),
    isReached: ({ told }) => told('out').length > 0 && told('sent').length > 0,
  },
  'a cancel was undone': {
    isBroken: ({ before, told, hasBegunWithoutText }) => {
      const waitsFor = before?.waitsFor ?? null;
      if (told('cancelled').length === 0 || waitsFor === null) return false;
      return waitsFor.isSent ? !BEGINNING.test(waitsFor.otpId) : !hasBegunWithoutText;
    },
    isReached: ({ told }) => told('cancelled').length > 0 && told('sent').length > 0,
  },
  'a text was announced, and its code can be entered nowhere': {
    isBroken: ({ outcome: { texts }, told, canEnter, isOver }) => {
      const senders = told('sent');
      if (senders.length === 0 || senders.some(isOver)) return false;
      const announced = texts.filter(({ by }) => senders.some(({ request }) => request === by));
      // A request that was told so without a text of its own means one that went out before.
      return announced.length === 0 ? !canEnter() : !announced.some(({ otpId }) => canEnter(otpId));
    },
    isReached: ({ told, canEnter }) => told('sent').length > 0 && canEnter(),
  },
  'a text went out, and nobody was told': {
    isBroken: ({ outcome: { texts }, told, canEnter, isOver, isWhole }) =>
      isWhole &&
      texts.some(({ otpId, by }) => {
        const isTold = told('sent').some(({ request }) => request === by);
        return !isTold && !canEnter(otpId) && !isOver({ request: by });
      }),
    isReached: ({ outcome: { texts }, told }) =>
      texts.length > 0 && told('no-pending-login').length > 0,
  },
  'a recovery code was spent for nothing': {
    // A code is judged by spending it: who ends the login in the same moment, or begins anew, has
    // spent it.
    isBroken: ({ outcome: { recoveryCodes, replies }, isEnded, isWhole }) => {
      const isLeft = replies.some(
        ({ request, status, said }) =>
          /^(send|device)/.test(request) && (status === 200 || said.endsWith(', pending')),
      );
      return isWhole && recoveryCodes === CODES_LEFT_AFTER_ONE && !isEnded && !isLeft;
    },
    isReached: ({ outcome: { recoveryCodes } }) => recoveryCodes === CODES_LEFT_AFTER_ONE,
  },
};

function hasSpentCode({ right, recoveryCodes }: Outcome): boolean {
  return right.length > 0 || recoveryCodes === CODES_LEFT_AFTER_ONE;
}

/** Every harm, in the order of the rules. */
export const HARMS = Object.keys(RULES) as readonly Harm[];

export function findHarms(scenario: Scenario, outcome: Outcome): readonly Harm[] {
  const facts = toFacts(scenario, outcome);
  return HARMS.filter((harm) => RULES[harm].isBroken(facts));
}

/** Returns the harms whose rule had something to guard here. */
export function findReached(scenario: Scenario, outcome: Outcome): readonly Harm[] {
  const facts = toFacts(scenario, outcome);
  return HARMS.filter((harm) => RULES[harm].isReached(facts));
}

export function toFacts(scenario: Scenario, outcome: Outcome): Facts {
  const told = (said: string): readonly Reply[] =>
    outcome.replies.filter((reply) => reply.said === said);
  const isEnded = ['verified', 'cancelled', 'out'].some((said) => told(said).length > 0);
  return {
    outcome,
    scenario,
    before: outcome.sessions.find(({ cookie }) => cookie === 'before'),
    told,
    isWhole: outcome.isShutOut === undefined,
    isRenewed: outcome.sessions.some((session) => session.cookie !== 'before' && !isEmpty(session)),
    canEnter: (otpId) =>
      outcome.sessions.some((session) => {
        const { waitsFor } = session;
        const isText = !isWorthless(session) && waitsFor?.isSent === true && waitsFor.isLive;
        return isText && (otpId === undefined || waitsFor.otpId === otpId);
      }),
    isEnded,
    hasBegunWithoutText: outcome.replies.some(({ said }) => /^waiting$|, pending$/.test(said)),
    isOver: ({ request }) =>
      isEnded ||
      outcome.replies.some((reply) => replaces(reply, request, scenario) || isLost(reply, request)),
  };
}

/**
 * Returns whether another request has gone wrong: it may have ended what was pending all the same.
 */
function isLost({ request, status }: Reply, sender: string): boolean {
  return request !== sender && (status === 0 || status >= 500);
}

/** Returns whether a request has begun something else, for which no text went out. */
function replaces({ request, said }: Reply, sender: string, { state }: Scenario): boolean {
  // Without a refusal another factor comes first, and the person is told so.
  if (said === 'waiting') return true;
  return said.endsWith('pending') && purposeOf(request, state) !== purposeOf(sender, state);
}

const PURPOSES: readonly (readonly [RegExp, string])[] = [
  [/^(send|device)/, 'login'],
  [/^step-up/, 'step-up'],
  [/^transaction/, 'transaction'],
  [/^enroll/, 'enroll'],
];

/** A resend has the purpose of what was before. */
function purposeOf(request: string, state: State): string {
  const own = PURPOSES.find(([names]) => names.test(request));
  return own?.[1] ?? PURPOSES_BEFORE[state];
}

const PURPOSES_BEFORE: Readonly<Record<State, string>> = {
  pending: 'login',
  'pending-known': 'login',
  'logged-in': 'none',
  'stepping-up': 'step-up',
  approving: 'transaction',
  enrolling: 'enroll',
  locked: 'login',
  waiting: 'login',
};
