import { isEmpty, isWorthless, type Outcome, type Reply, type SessionView } from './outcome';
import {
  isLoggedIn,
  nameOfBefore,
  type NamedRequest,
  nameRequests,
  type Place,
  placeOf,
  PLACES,
  type Scenario,
  type State,
  userOf,
  type Verb,
} from './scenarios';

/** A password, or a device in its place: requests of these names begin a login. */
const PASSWORD = /^(send|device|stolen|stranger)/;

/** What ends all other logins of the user, the trust in all devices and what browsers are known. */
const ENDING: readonly Verb[] = [
  'remove',
  'confirm',
  'new-codes',
  'revoke-all',
  'forget',
  'stolen',
];

/** What a request is told that has changed something. */
const CHANGED = ['changed', 'generated', 'revoked', 'forgotten'];
const NO_REPLY = { status: 0, said: 'nothing' };

/** What ends all pending logins of a user, and all logins: a step-up ends with either. */
const ENDS = ['pendingLogins.endAll', 'records.removeAll'];

/** What makes a number that a text has gone to another's: no code of that text lets in. */
const BOOK_ENDS = ['book.remove', 'book.replace'];

/** Everything a rule looks at: what can be seen in one browser. */
export interface Facts {
  /** Replies, sessions, texts and cookies are those of this browser. */
  readonly outcome: Outcome;
  readonly scenario: Scenario;
  /** What had happened in this browser before. */
  readonly state: State;
  /** Whose requests they are. */
  readonly userId: string;
  /** The session whose cookie all requests have left with. */
  readonly before: SessionView | undefined;
  readonly told: (said: string) => readonly Reply[];
  /** Whether one of the requests is this. */
  readonly has: (verb: Verb) => boolean;
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
  /** Replies of both browsers, where their sessions wait for one login; of this one otherwise. */
  readonly toldOfLogin: (said: string) => readonly Reply[];
  /** Everything that was said and is true in both browsers, where they wait for one login. */
  readonly shared: Pick<Outcome, 'replies' | 'sessions'> | null;
  /** Whether this browser has joined the login that the other one has begun. */
  readonly isJoined: boolean;
  /** Whether both browsers have submitted a login form, and this one has sent no text by it. */
  readonly isSecond: boolean;
  /** The requests that have joined a login in place of beginning one. */
  readonly joins: readonly string[];
  /** The requests that have entered a code, in both browsers. */
  readonly attempts: readonly string[];
  /** The requests of the user's other browser. */
  readonly others: readonly NamedRequest[];
  /** Whether a request was answered before another one of the same chain left. */
  readonly isEarlier: (request: string, other: string) => boolean;
  /** Where in the order a request made a call, or one of several, for the last time; -1: never. */
  readonly at: (request: string, ...calls: readonly string[]) => number;
  /** Where in the order a change in the other browser ended logins for the last time; -1: never. */
  readonly othersEndAt: number;
  /** Where in the order the login of a cookie began; -1: before. */
  readonly begunAt: (cookie: string) => number;
  /** Where in the order a text of the other browser was attached that was told there. */
  readonly takenAt: readonly number[];
  /**
   * Where in the order a change that was answered, in the other browser, had ended all that had
   * begun before it; -1: there is none.
   */
  readonly othersEndedAt: number;
  /** The same for a change of the user in any browser. */
  readonly endedAt: number;
  /** Whether the user's codes were enabled, which makes all browsers unknown. */
  readonly isEnabled: boolean;
}

/** A rule is worth something only where the situation that it guards is reached. */
export interface Rule {
  readonly isBroken: (facts: Facts) => boolean;
  readonly isReached: (facts: Facts) => boolean;
}

/** The facts of each browser. */
export function listFacts(scenario: Scenario, outcome: Outcome): readonly Facts[] {
  const places = scenario.beside === undefined ? PLACES.slice(0, 1) : PLACES;
  return places.map((place) => toFacts(scenario, outcome, place));
}

export function toFacts(scenario: Scenario, whole: Outcome, place: Place): Facts {
  const outcome = restrict(whole, scenario, place);
  const joins = listJoins(scenario, whole);
  const isShared = isOneLogin(scenario, joins);
  const { hasLostText, ...order } = toOrder(scenario, whole, place, isShared);
  const told = (said: string): readonly Reply[] =>
    outcome.replies.filter((reply) => reply.said === said);
  const before = nameOfBefore(place);
  const { state } = placed(scenario, place);
  const shared = isShared ? whole : null;
  const isJoining = (one: Place): boolean =>
    placed(scenario, one).state === 'joined' || joins.some((name) => placeOf(name) === one);
  return {
    outcome,
    shared,
    toldOfLogin: (said) => (shared ?? outcome).replies.filter((reply) => reply.said === said),
    isJoined: isJoining(place),
    isSecond: isSecondForm(scenario, whole, place),
    joins,
    attempts: nameRequests(scenario)
      .filter(({ verb }) => ['right', 'wrong'].includes(verb))
      .map(({ name }) => name),
    scenario,
    state,
    userId: userOf(scenario, place).id,
    before: outcome.sessions.find(({ cookie }) => cookie === before),
    told,
    isWhole: outcome.isShutOut === undefined,
    isRenewed: outcome.sessions.some((session) => session.cookie !== before && !isEmpty(session)),
    canEnter: (otpId) =>
      outcome.sessions.some((session) => {
        const { waitsFor } = session;
        if (isWorthless(session) || waitsFor?.isSent !== true) return false;
        // Another session of the same login may have asked for a later text, and both codes are good.
        if (isShared) return waitsFor.codes.some((id) => otpId === undefined || otpId === id);
        const isText = waitsFor.isActive;
        return isText && (otpId === undefined || waitsFor.otpId === otpId);
      }),
    isEnded: outcome.replies.some(isEnding),
    // A request that went wrong may have left a pending login. It grants nothing, is shown without a
    // text, and the next cancel ends it.
    hasBegunWithoutText: outcome.replies.some(
      ({ said, status }) => /^waiting$|, pending$/.test(said) || status === 0 || status >= 500,
    ),
    isOver: ({ request }) =>
      hasLostText(request) ||
      outcome.replies.some(
        (reply) =>
          isLost(reply, request) ||
          (!order.isEarlier(reply.request, request) &&
            (isEnding(reply) ||
              (!joins.includes(reply.request) && replaces(reply, request, state)))),
      ) ||
      shared?.replies.some(
        (reply) =>
          placeOf(reply.request) !== place &&
          (reply.said === 'verified' || (isEnding(reply) && !isJoining(placeOf(reply.request)))),
      ) === true,
    ...order,
  };
}

/** Lists the login forms that were told of a text without sending one: they joined a login. */
function listJoins(scenario: Scenario, { replies, texts }: Outcome): readonly string[] {
  if (scenario.beside?.who === 'user') return [];
  return replies
    .filter(({ request, said }) => {
      const isForm =
        request.startsWith('send') && placed(scenario, placeOf(request)).state === 'new';
      return isForm && ['sent', 'waiting'].includes(said) && !isSender(texts, request);
    })
    .map(({ request }) => request);
}

function isSender(texts: Outcome['texts'], request: string): boolean {
  return texts.some(({ by }) => by === request);
}

/** Whether the sessions of both browsers wait for one login, whose form was submitted twice. */
function isOneLogin({ state, beside }: Scenario, joins: readonly string[]): boolean {
  if (beside?.who !== 'browser') return false;
  if (beside.state === 'joined') return state === 'pending';
  return beside.state === 'new' && joins.length > 0;
}

/** Whether both browsers submit a login form, and this one was not the first to send a text. */
function isSecondForm(scenario: Scenario, { replies, texts }: Outcome, place: Place): boolean {
  const isNew = scenario.state === 'new' && scenario.beside?.state === 'new';
  const form = replies.find(
    ({ request }) => request.startsWith('send') && placeOf(request) === place,
  );
  return isNew && form !== undefined && !isSender(texts, form.request);
}

/** Returns the scenario, or what goes on beside it. */
function placed(scenario: Scenario, place: Place): Pick<Scenario, 'state'> {
  return (place === 'there' ? scenario.beside : undefined) ?? scenario;
}

/** Returns what is seen of an outcome in one browser. */
function restrict(outcome: Outcome, scenario: Scenario, place: Place): Outcome {
  const { beside } = outcome;
  if (beside === undefined) return outcome;
  const isOwn = (name: string): boolean => placeOf(name) === place;
  const isOther = place === 'there' && scenario.beside?.who === 'user';
  return {
    ...outcome,
    replies: outcome.replies.filter(({ request }) => isOwn(request)),
    sessions: outcome.sessions.filter(({ cookie }) => isOwn(cookie)),
    texts: outcome.texts.filter(({ by }) => isOwn(by)),
    recoveryCodes: isOther ? beside.recoveryCodes : outcome.recoveryCodes,
    beside: {
      ...beside,
      trusted: beside.trusted.filter(isOwn),
      known: beside.known.filter(isOwn),
    },
  };
}

/** What is known of the order of the calls, as it concerns one browser. */
interface Order extends Pick<
  Facts,
  | 'others'
  | 'has'
  | 'isEarlier'
  | 'at'
  | 'begunAt'
  | 'takenAt'
  | 'othersEndAt'
  | 'othersEndedAt'
  | 'endedAt'
  | 'isEnabled'
> {
  /** Whether another request has ended the login of a text, or has taken the text. */
  readonly hasLostText: (sender: string) => boolean;
}

function toOrder(
  scenario: Scenario,
  { done, replies, texts }: Outcome,
  place: Place,
  isShared: boolean,
): Order {
  const { state } = placed(scenario, place);
  const all = nameRequests(scenario);
  const own = all.filter((one) => one.place === place);
  const isOneUser = scenario.beside?.who === 'browser';
  // What another user changes ends nothing of this one.
  const others = isOneUser ? all.filter((one) => one.place !== place) : [];
  const ofUser = isOneUser ? all : own;
  const at: Order['at'] = (request, ...calls) =>
    done.findLastIndex((step) => calls.some((call) => step === `${request}:${call}`));
  const lastOf = (indexes: readonly number[]): number => Math.max(-1, ...indexes);
  const isEarlier: Order['isEarlier'] = (request, other) =>
    actorOf(request) === actorOf(other) && indexOf(request) < indexOf(other);
  const indexOf = (request: string): number => own.findIndex(({ name }) => name === request);
  const actorOf = (request: string): string | undefined => own[indexOf(request)]?.actor;
  const begunAt: Order['begunAt'] = (cookie) => {
    const chain = own.filter(({ name }) => name === cookie || isEarlier(name, cookie));
    const isOwn = chain.some(({ name }) => name === cookie);
    return isOwn ? lastOf(chain.map(({ name }) => at(name, 'pendingLogins.begin'))) : -1;
  };
  const wasTold = (request: string, word: string): boolean =>
    replies.some((reply) => reply.request === request && reply.said === word);
  const sentAt = (request: string): number =>
    texts.some(({ by }) => by === request)
      ? at(request, 'pendingLogins.begin', 'pendingLogins.attach')
      : -1;
  /** Whoever shows the current token of a device that was stolen ends all the rest as well. */
  const isEnder = (one: NamedRequest): boolean =>
    isChange(one) || at(one.name, 'pendingLogins.endAll') >= 0;
  /**
   * A change was answered, and has ended what had begun before it: once before it, once after. One
   * that has not counts from the end of the order.
   */
  const endingOf = (one: NamedRequest): number => {
    const { status, said } = replies.find(({ request }) => request === one.name) ?? NO_REPLY;
    const isEnd = (step: string): boolean => step === `${one.name}:pendingLogins.endAll`;
    const first = done.findIndex(isEnd);
    const second = done.findIndex((step, index) => isEnd(step) && index > first);
    if (second < 0 && isChange(one) && CHANGED.includes(said)) return done.length;
    return isEnder(one) && status >= 200 && status < 500 ? second : -1;
  };
  return {
    others,
    has: (verb) => own.some((one) => one.verb === verb),
    at,
    begunAt,
    isEarlier,
    othersEndAt: lastOf(others.filter(isEnder).map(({ name }) => at(name, ...ENDS))),
    othersEndedAt: lastOf(others.map(endingOf)),
    endedAt: lastOf(ofUser.map(endingOf)),
    // A text of the same login takes nothing away.
    takenAt: isShared
      ? []
      : others.flatMap(({ name }) => (wasTold(name, 'sent') ? [sentAt(name)] : [])),
    isEnabled: ofUser.some(({ name }) => wasTold(name, 'enabled')),
    hasLostText: (sender) => {
      // One that was not told may have been over before its text was attached.
      const begun = isLoggedIn(state) ? -1 : begunAt(sender);
      const since = wasTold(sender, 'sent') ? sentAt(sender) : begun;
      const endsIt = ({ name }: NamedRequest): boolean =>
        name !== sender &&
        (at(name, ...ENDS) > since || at(name, ...BOOK_ENDS) > at(sender, 'book.list'));
      // Who changes something keeps what waits in the same session.
      if (others.some(endsIt) || (PASSWORD.test(sender) && own.some(endsIt))) return true;
      return !isShared && others.some(({ name }) => sentAt(name) > since);
    },
  };
}

/** Whether a request ends what has begun in other browsers. */
export function isChange({ verb }: NamedRequest): boolean {
  return ENDING.includes(verb);
}

function isEnding({ said }: Reply): boolean {
  return ['verified', 'cancelled', 'out'].includes(said);
}

/**
 * Returns whether another request has gone wrong: it may have ended what was pending all the same.
 */
function isLost({ request, status }: Reply, sender: string): boolean {
  return request !== sender && (status === 0 || status >= 500);
}

/** Returns whether a request has begun something else, for which no text went out. */
function replaces({ request, said }: Reply, sender: string, state: State): boolean {
  // Without a refusal another factor comes first, and the person is told so.
  if (said === 'waiting') return true;
  return said.endsWith('pending') && purposeOf(request, state) !== purposeOf(sender, state);
}

const PURPOSES: readonly (readonly [RegExp, string])[] = [
  [PASSWORD, 'login'],
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
  new: 'none',
  pending: 'login',
  resent: 'login',
  joined: 'login',
  'pending-known': 'login',
  'logged-in': 'none',
  'stepping-up': 'step-up',
  approving: 'transaction',
  enrolling: 'enroll',
  replacing: 'enroll',
  locked: 'login',
  waiting: 'login',
};
