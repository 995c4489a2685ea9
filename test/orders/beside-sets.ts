import type { Beside, Scenario, State, Verb } from './scenarios';

/**
 * What a user changes in one browser, with what was before: the changes that end what has begun in
 * other browsers, those that must not, and a password that takes the text of another login.
 */
const CHANGES: readonly (readonly [State, Verb])[] = [
  ['logged-in', 'remove'],
  ['replacing', 'confirm'],
  ['logged-in', 'new-codes'],
  ['logged-in', 'revoke-all'],
  ['logged-in', 'forget'],
  ['logged-in', 'enable'],
  ['new', 'stolen'],
  ['logged-in', 'logout'],
  ['new', 'send'],
];

/** What is under way in the other browser meanwhile, with what was before. */
const UNDER_WAY: readonly (readonly [State, ...Verb[]])[] = [
  ['pending', 'right'],
  ['pending', 'right-trust'],
  ['pending', 'recover'],
  ['pending', 'resend'],
  ['pending', 'options', 'answer'],
  ['logged-in', 'step-up'],
  ['stepping-up', 'right'],
  ['new', 'device'],
];

/** How another user gets there, in a browser in which somebody else is logged in. */
const FROM_NEW: Partial<Record<State, readonly Verb[]>> = {
  new: [],
  pending: ['send'],
  'logged-in': ['device'],
  'stepping-up': ['device', 'step-up'],
};

/** Two browsers of one user: each change with each of what is under way. */
export const TWO_BROWSERS: readonly Scenario[] = besideEachChange(
  UNDER_WAY.map(([state, ...verbs]) => ({ who: 'browser', state, verbs })),
);

/** A second user in the same browser, who begins with a password. */
export const TWO_USERS: readonly Scenario[] = besideEachChange(
  UNDER_WAY.map(([state, ...verbs]) => ({
    who: 'user',
    state: 'new',
    verbs: [...(FROM_NEW[state] ?? []), ...verbs],
  })),
);

/** A whole login of the other browser, its device trusted, inside each change. */
export const LOGINS_BESIDE: readonly Scenario[] = besideEachChange([
  { who: 'browser', state: 'new', verbs: ['send', 'right-trust'] },
]);

function besideEachChange(others: readonly Beside[]): readonly Scenario[] {
  return CHANGES.flatMap(([state, verb]) =>
    others.map((beside) => ({ state, verbs: [verb], beside })),
  );
}

/** Each change twice, one after the other: a call that goes wrong is made up for by the second. */
export const CHANGES_AGAIN: readonly Scenario[] = TWO_BROWSERS.map((scenario) => ({
  ...scenario,
  verbs: [...scenario.verbs, ...scenario.verbs],
  isInTurn: true,
}));

/** As many orders as all other pairs together, because both may end the other: `ORDERS=all` alone. */
const LONGEST = 'stolen beside device';

/** The pairs of two browsers in the full check. */
export const CHECKED_TWO_BROWSERS: readonly Scenario[] = TWO_BROWSERS.filter(
  (scenario) => toWords(scenario) !== LONGEST,
);

/** A change that costs many orders, and has a code of its own. */
const LONG_CHANGE: Verb = 'confirm';

/** The quick part: everything beside a change that does nothing but end, a code beside the others. */
export const QUICK_TWO_BROWSERS: readonly Scenario[] = TWO_BROWSERS.filter(
  (scenario) => scenario.verbs.includes('revoke-all') || isQuick(scenario, 'right'),
);

/** The same with a second user. */
export const QUICK_TWO_USERS: readonly Scenario[] = TWO_USERS.filter((scenario) =>
  isQuick(scenario, 'send right'),
);

function isQuick({ verbs, beside }: Scenario, others: string): boolean {
  const isCode = beside?.verbs.join(' ') === others && beside.state !== 'stepping-up';
  return isCode && !verbs.includes(LONG_CHANGE);
}

function toWords({ verbs, beside }: Scenario): string {
  return [...verbs, 'beside', ...(beside?.verbs ?? [])].join(' ');
}
