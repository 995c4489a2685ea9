import { ALICE, BOB, type TestUser } from '../support/test-users';

/** What a person does in one browser. All requests of an order leave with the same cookies. */
export const VERBS = [
  'send',
  'right',
  'wrong',
  'resend',
  'cancel',
  'step-up',
  'transaction',
  'enroll',
  'confirm',
  'recover',
  'device',
  'logout',
  'guard',
] as const;

/**
 * What is tried in some states only, or beside another browser or another user. `earlier`: the code
 * of the text before the newest. `stranger`: the password from a client with other headers.
 */
export const MORE_VERBS = [
  'earlier',
  'right-trust',
  'options',
  'answer',
  'remove',
  'new-codes',
  'revoke-all',
  'forget',
  'enable',
  'stolen',
  'stranger',
] as const;
export type Verb = (typeof VERBS | typeof MORE_VERBS)[number];

/** What has happened before, in one browser. */
export const STATES = [
  'pending',
  'pending-known',
  'logged-in',
  'stepping-up',
  'approving',
  'enrolling',
  'locked',
  'waiting',
] as const;

/**
 * The same, for what is tried with some verbs only, or beside another browser or another user.
 * `resent`: two texts of one login are live. `joined`: the login form was submitted twice, and the
 * browser has the second answer. Beside `pending` it is the form of that login.
 */
export const MORE_STATES = ['resent', 'new', 'replacing', 'joined'] as const;
export type State = (typeof STATES | typeof MORE_STATES)[number];

const LOGGED_IN: readonly State[] = [
  'logged-in',
  'stepping-up',
  'approving',
  'enrolling',
  'replacing',
];

export function isLoggedIn(state: State): boolean {
  return LOGGED_IN.includes(state);
}

/** Requests that are under way together, and what was before. */
export interface Scenario {
  readonly state: State;
  readonly verbs: readonly Verb[];
  /**
   * Whether they leave one after the other, each with the cookies of the answer before. Default:
   * false, all at once with the cookies of before.
   */
  readonly isInTurn?: boolean;
  /** What goes on beside it. */
  readonly beside?: Beside;
  /** Whether the gateway accepts a right code as often as it comes. Default: false. */
  readonly acceptsTwice?: boolean;
  /** Whether the app does without the option `logins`. Default: false. */
  readonly hasNoLogins?: boolean;
}

/** Requests that leave one after the other, each with the cookies of the answer before. */
export interface Beside {
  /**
   * `browser`: the same user in another browser. `user`: another user in the same browser, whose
   * first request leaves with the cookies of the others.
   */
  readonly who: (typeof WHO)[number];
  /** What has happened before in the other browser. Of another user nothing has: `new`. */
  readonly state: State;
  readonly verbs: readonly Verb[];
}

export const WHO = ['browser', 'user'] as const;

/** Where a request belongs: to the scenario itself, or to what goes on beside it. */
export type Place = (typeof PLACES)[number];

export const PLACES = ['here', 'there'] as const;

/** Where a request or a cookie belongs, by its name. */
export function placeOf(name: string): Place {
  return name.endsWith(THERE) ? 'there' : 'here';
}

const THERE = '-there';

/** The cookies with which the requests of a place left first. */
export function nameOfBefore(place: Place): string {
  return place === 'here' ? 'before' : `before${THERE}`;
}

/** A request of a scenario, with the name that it has in orders and outcomes. */
export interface NamedRequest {
  readonly name: string;
  readonly verb: Verb;
  readonly place: Place;
  /** Who makes it: the requests of one actor leave one after the other. */
  readonly actor: string;
}

/** The user whose requests those of a place are. */
export function userOf({ beside }: Pick<Scenario, 'beside'>, place: Place): TestUser {
  return place === 'there' && beside?.who === 'user' ? BOB : ALICE;
}

/**
 * Gives each request a name: the verb, and a number for the second and third of a kind; those
 * beside the others say so.
 */
export function nameRequests({
  verbs,
  isInTurn = false,
  beside,
}: Scenario): readonly NamedRequest[] {
  return [...nameVerbs(verbs, 'here', isInTurn), ...nameVerbs(beside?.verbs ?? [], 'there', true)];
}

function nameVerbs(
  verbs: readonly Verb[],
  place: Place,
  isInTurn: boolean,
): readonly NamedRequest[] {
  return verbs.map((verb, index) => {
    const earlier = verbs.slice(0, index).filter((other) => other === verb).length;
    const numbered = earlier === 0 ? verb : `${verb}${earlier + 1}`;
    const name = place === 'here' ? numbered : `${numbered}${THERE}`;
    return { name, verb, place, actor: isInTurn ? place : name };
  });
}
