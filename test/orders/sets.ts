import { KNOWN_HARMS, listPairs } from './known-harms';
import { type Scenario, type State, STATES, type Verb, VERBS } from './scenarios';

/**
 * All pairs of requests in one state, the same request twice among them, but those of `ENDLESS`.
 */
export function allPairs(state: State): readonly Scenario[] {
  return VERBS.flatMap((one, index) =>
    VERBS.slice(index).map((other) => ({ state, verbs: [one, other] })),
  ).filter((pair) => !ENDLESS.some((endless) => isSamePair(endless, pair)));
}

/**
 * Both requests end everything else of the user. 83,000 orders were tried without coming to the
 * end, so they are tried with at most two preemptions.
 */
export const ENDLESS: readonly Scenario[] = [{ state: 'enrolling', verbs: ['confirm', 'confirm'] }];

function isSamePair(one: Scenario, other: Scenario): boolean {
  return one.state === other.state && one.verbs.join() === other.verbs.join();
}

/**
 * What is different in a state that is otherwise like another one: logged in and waiting, or
 * pending.
 */
const SPECIAL: Partial<Record<State, readonly Verb[]>> = {
  'pending-known': ['send', 'right'],
  approving: ['right', 'recover'],
  enrolling: ['enroll', 'confirm'],
};

/** As many orders as all other pairs of its state together: the complete run tries them. */
const LONGEST = 'confirm device';

/** The pairs of the full check: all of them, but for what states have in common. */
export function checkedPairs(state: State): readonly Scenario[] {
  const special = SPECIAL[state];
  const isSpecial = (verb: Verb): boolean => special === undefined || special.includes(verb);
  return allPairs(state).filter(
    ({ verbs }) => verbs.some(isSpecial) && verbs.join(' ') !== LONGEST,
  );
}

/** What people do at once most often, and what somebody with a copied cookie does beside them. */
const QUICK: Partial<Record<State, readonly (readonly [Verb, Verb])[]>> = {
  pending: [
    ['send', 'send'],
    ['send', 'right'],
    ['send', 'resend'],
    ['right', 'right'],
    ['right', 'wrong'],
    ['right', 'resend'],
    ['right', 'cancel'],
    ['right', 'recover'],
    ['wrong', 'wrong'],
    ['wrong', 'resend'],
    ['wrong', 'cancel'],
    ['resend', 'resend'],
    ['resend', 'cancel'],
    ['resend', 'recover'],
    ['resend', 'logout'],
    ['device', 'device'],
  ],
  'logged-in': [
    ['step-up', 'step-up'],
    ['step-up', 'logout'],
    ['logout', 'guard'],
  ],
  'stepping-up': [
    ['right', 'right'],
    ['right', 'cancel'],
    ['right', 'logout'],
  ],
  enrolling: [['confirm', 'logout']],
  waiting: [['resend', 'recover']],
};

/** The pairs of the quick part. */
export function quickPairs(state: State): readonly Scenario[] {
  return (QUICK[state] ?? []).map((verbs) => ({ state, verbs }));
}

/** A gateway that is wrong lets nobody in twice. */
export const TWICE: readonly Scenario[] = [
  { state: 'pending', verbs: ['right', 'right'], acceptsTwice: true },
  { state: 'pending', verbs: ['right', 'wrong'], acceptsTwice: true },
];

/** The states in which there is a login that can be brought back. */
const LOGGED_IN: readonly State[] = ['logged-in', 'stepping-up', 'approving', 'enrolling'];

/** Without the option `logins`: the pairs that are known to bring something back. */
export const WITHOUT_LOGINS: readonly Scenario[] = LOGGED_IN.flatMap(checkedPairs)
  .filter((scenario) =>
    KNOWN_HARMS.some((entry) => listPairs(entry).includes(scenario.verbs.join(' + '))),
  )
  .map((scenario) => ({ ...scenario, hasNoLogins: true }));

/** The same in the quick part. */
export const QUICK_WITHOUT_LOGINS: readonly Scenario[] = [
  { state: 'logged-in', verbs: ['step-up', 'logout'], hasNoLogins: true },
  { state: 'stepping-up', verbs: ['right', 'cancel'], hasNoLogins: true },
];

/**
 * Three requests at once: tried with at most two preemptions, because all orders of three are too
 * many.
 */
export const TRIPLES: readonly Scenario[] = [
  { state: 'pending', verbs: ['right', 'right', 'right'] },
  { state: 'pending', verbs: ['right', 'wrong', 'wrong'] },
  { state: 'pending', verbs: ['wrong', 'wrong', 'wrong'] },
  { state: 'pending', verbs: ['send', 'right', 'resend'] },
  { state: 'pending', verbs: ['right', 'wrong', 'resend'] },
  { state: 'pending', verbs: ['wrong', 'resend', 'cancel'] },
  { state: 'pending', verbs: ['right', 'resend', 'resend'] },
  { state: 'pending', verbs: ['send', 'send', 'right'] },
  { state: 'logged-in', verbs: ['step-up', 'logout', 'guard'] },
  { state: 'logged-in', verbs: ['step-up', 'transaction', 'logout'] },
  { state: 'stepping-up', verbs: ['right', 'cancel', 'logout'] },
  { state: 'enrolling', verbs: ['enroll', 'confirm', 'logout'] },
];

const LIVE_VERBS: readonly Verb[] = ['earlier', 'right', 'wrong', 'resend'];

/** Two texts of one login are live: what is entered and asked for at once. */
export const LIVE_PAIRS: readonly Scenario[] = [
  ...LIVE_VERBS.map((verb) => [verb, 'earlier'] as const),
  ...(['cancel', 'logout', 'recover', 'send'] as const).map((verb) => [verb, 'earlier'] as const),
  ['right', 'resend'] as const,
].map((verbs) => ({ state: 'resent', verbs }));

/** Every choice of three of them, the code of the text before twice among them. */
export const LIVE_TRIPLES: readonly Scenario[] = [
  ...LIVE_VERBS.map((left) => LIVE_VERBS.filter((verb) => verb !== left)),
  ...LIVE_VERBS.filter((verb) => verb !== 'earlier').map(
    (verb) => ['earlier', 'earlier', verb] as const,
  ),
].map((verbs) => ({ state: 'resent', verbs }));

/** All of them at once. */
export const LIVE_FOUR: readonly Scenario[] = [{ state: 'resent', verbs: LIVE_VERBS }];

/** One of them, in which a call goes wrong. */
export const LIVE_SINGLES: readonly Scenario[] = LIVE_VERBS.map((verb) => ({
  state: 'resent',
  verbs: [verb],
}));

/** One request in every state, for orders in which a call goes wrong. */
export const SINGLES: readonly Scenario[] = STATES.flatMap((state) =>
  VERBS.map((verb) => ({ state, verbs: [verb] })),
);

/** Two requests, one after the other, in which a call goes wrong. */
export const PAIRS_IN_TURN: readonly Scenario[] = [
  ...allPairs('pending'),
  ...allPairs('stepping-up'),
];

/** The mishaps of the quick part. */
export const QUICK_SINGLES: readonly Scenario[] = SINGLES.filter(
  ({ state, verbs }) =>
    state === 'pending' && ['send', 'right', 'resend', 'recover'].includes(verbs[0] ?? ''),
);
