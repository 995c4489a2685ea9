import { HOME, NEW } from './app';
import { isEmpty, type Outcome, type Reply, type SessionView } from './outcome';
import type { Scenario, State } from './scenarios';

/** Something that must not be true afterwards, whatever the order. */
export type Harm =
  | 'two successes of one code'
  | 'more codes judged than a challenge admits'
  | 'in without a code'
  | 'a success is worth nothing'
  | 'a number without its code'
  | 'an accident without a fault'
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

/** What a code, or a recovery code in its place, was right for. All requests of an order have the same ones. */
const CODE_VERBS = /^(right|confirm|recover)/;
/** Requests that begin anew, whatever was before. */
const BEGINNING = /^otp:(send|device|step-up|transaction|enroll)/;

/** Everything a rule looks at. */
interface Facts {
  readonly outcome: Outcome;
  readonly scenario: Scenario;
  /** The session whose cookie all requests have left with. */
  readonly before: SessionView | undefined;
  readonly told: (said: string) => readonly Reply[];
  /** Whether a request has put another session in the place of that one. */
  readonly isRenewed: boolean;
  /** Whether someone waits for this text, or for any, and its code can be entered. */
  readonly canEnter: (otpId?: string) => boolean;
  /** Whether another request has ended what the text of this one was for, and was told so. */
  readonly isOver: (sender: Pick<Reply, 'request'>) => boolean;
}

const RULES: Readonly<Record<Harm, (facts: Facts) => boolean>> = {
  'two successes of one code': ({ told }) =>
    told('verified').filter(({ request }) => CODE_VERBS.test(request)).length > 1,
  'more codes judged than a challenge admits': ({ outcome }) =>
    outcome.judged.some((count) => count > MOST_JUDGED),
  'in without a code': ({ outcome: { sessions }, scenario, told }) =>
    sessions.some(({ cookie, user }) => {
      if (user === null) return false;
      if (cookie === 'before') return !LOGGED_IN.includes(scenario.state);
      return !told('verified').some(({ request }) => request === cookie);
    }),
  'a success is worth nothing': ({ outcome: { sessions }, told }) =>
    told('verified').some(
      ({ request }) => !sessions.some(({ cookie, hasMark }) => cookie === request && hasMark),
    ),
  'a number without its code': ({ outcome: { numbers }, told }) => {
    const isConfirmed = told('verified').some(({ request }) => request.startsWith('confirm'));
    return !numbers.includes(HOME) || numbers.includes(NEW) !== isConfirmed;
  },
  'an accident without a fault': ({ outcome }) => outcome.replies.some(({ status }) => status >= 500),
  'the old session is logged in after a renewal': ({ before, isRenewed }) =>
    isRenewed && before?.user !== null,
  'the old session is back after a renewal': ({ before, isRenewed }) =>
    isRenewed && before?.user === null && before.waitsFor !== null,
  'a logout was undone': ({ before, told }) =>
    told('out').length > 0 && (before?.user !== null || before.waitsFor !== null),
  'a cancel was undone': ({ before, told }) => {
    const waitsFor = before?.waitsFor?.otpId;
    return told('cancelled').length > 0 && waitsFor !== undefined && !BEGINNING.test(waitsFor);
  },
  'a text was announced, and its code can be entered nowhere': ({ told, canEnter, isOver }) => {
    const announced = told('sent');
    return announced.length > 0 && !canEnter() && !announced.some(isOver);
  },
  'a text went out, and nobody was told': ({ outcome: { texts }, told, canEnter, isOver }) =>
    texts.some(({ otpId, by }) => {
      const isTold = told('sent').some(({ request }) => request === by);
      return !isTold && !canEnter(otpId) && !isOver({ request: by });
    }),
  'a recovery code was spent for nothing': ({ outcome: { recoveryCodes, replies }, told }) => {
    const isRefused = replies.some(({ request, said }) => request === 'recover' && said !== 'verified');
    return isRefused && recoveryCodes === CODES_LEFT_AFTER_ONE && told('verified').length === 0;
  },
};

/** Every harm, in the order of the rules. */
export const HARMS = Object.keys(RULES) as readonly Harm[];

export function findHarms(scenario: Scenario, outcome: Outcome): readonly Harm[] {
  const told = (said: string): readonly Reply[] => outcome.replies.filter((reply) => reply.said === said);
  const facts: Facts = {
    outcome,
    scenario,
    before: outcome.sessions.find(({ cookie }) => cookie === 'before'),
    told,
    isRenewed: outcome.sessions.some((session) => session.cookie !== 'before' && !isEmpty(session)),
    canEnter: (otpId) =>
      outcome.sessions.some(({ waitsFor }) => {
        const isText = waitsFor?.isSent === true && waitsFor.isLive;
        return isText && (otpId === undefined || waitsFor.otpId === otpId);
      }),
    isOver: ({ request }) => {
      const isEnded = ['verified', 'cancelled', 'out'].some((said) => told(said).length > 0);
      return isEnded || outcome.replies.some((reply) => replaces(reply, request, scenario));
    },
  };
  return HARMS.filter((harm) => RULES[harm](facts));
}

/** Returns whether a request has begun something else, for which no text went out. */
function replaces({ request, said }: Reply, sender: string, { state }: Scenario): boolean {
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
