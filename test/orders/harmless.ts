import { NEW } from './app';
import { type Facts, toFacts } from './facts';
import {
  type BesideOutcome,
  describe,
  isEmpty,
  isWorthless,
  type Outcome,
  type Reply,
  type SessionView,
} from './outcome';
import { nameRequests, placeOf, type Scenario } from './scenarios';

/** An outcome that no order of whole requests has, and that harms nobody. */
interface Harmless {
  readonly name: string;
  /** Only the scenarios that `ORDERS=all` adds have such an order. */
  readonly isInAllAlone?: true;
  readonly reason: string;
  /**
   * Whether this one request explains the difference: without it, the others end as whole requests
   * do.
   */
  readonly explains: (reply: Reply, facts: Facts) => boolean;
}

const ENDED_BEGINNING = 'a beginning that a change has ended';

/** Every kind of harmless outcome. */
export const HARMLESS: readonly Harmless[] = [
  {
    name: 'a refusal that leaves nothing',
    reason:
      'The request was told no, no text went out, and the others are as they would be without it.',
    explains: ({ request, status }, { outcome: { texts } }) =>
      isRefusal(status) && !texts.some(({ by }) => by === request),
  },
  {
    name: 'a text for nothing',
    reason:
      'A success, a cancel, a logout or another beginning came first: its code opens nothing, and a text was paid.',
    explains: (reply, { outcome: { texts }, canEnter, isOver }) => {
      const own = texts.filter(({ by }) => by === reply.request);
      return own.length > 0 && isOver(reply) && own.every(({ otpId }) => !canEnter(otpId));
    },
  },
  {
    name: 'sent already',
    reason:
      'The click fell into the gap after a text that the same session waited for: it was told of that one.',
    explains: ({ request, said }, { outcome: { texts } }) =>
      said === 'sent' && !texts.some(({ by }) => by === request),
  },
  {
    name: 'a text on its way',
    reason:
      'The login form came twice, and the text of the first request was not out yet: the second was told so, and accepts its code.',
    explains: ({ request, said }, { joins }) => said === 'waiting' && joins.includes(request),
  },
  {
    name: 'the second of two forms',
    reason:
      'The login form came twice. What the second session does leaves the first as it would be without it.',
    explains: ({ said }, { isSecond }) => isSecond && ['sent', 'cancelled'].includes(said),
  },
  {
    name: 'a cancel beside a resend of a joined login',
    reason:
      'The login stays for the session that began it. The one that has joined it was saved late, and accepts the code of its resend.',
    explains: ({ said }, { isJoined, told, before }) =>
      isJoined &&
      said === 'cancelled' &&
      told('sent').length > 0 &&
      before?.waitsFor?.isJoined === true,
  },
  {
    name: 'a session of its own',
    reason:
      'A right password opens a session with an id of its own; what others do to the one before concerns another cookie.',
    explains: ({ request }, { outcome: { sessions }, scenario }) =>
      scenario.beside === undefined &&
      /^(send|device|stranger)/.test(request) &&
      sessions.some((session) => session.cookie === request && !isEmpty(session)),
  },
  {
    name: 'a success that a change has ended',
    isInAllAlone: true,
    reason:
      'The change ends all logins of the user, those that began after it, and before its answer, among them.',
    explains: ({ request, said }, { outcome: { sessions }, scenario, othersEndAt, at }) =>
      scenario.beside !== undefined &&
      said === 'verified' &&
      othersEndAt > at(request, 'store.finish') &&
      sessions.some((session) => session.cookie === request && !session.hasMark),
  },
  {
    name: ENDED_BEGINNING,
    isInAllAlone: true,
    reason:
      'A change in the other browser has ended what the request had begun without a text. Two changes at the same moment end each other.',
    explains: ({ request, said }, { othersEndAt, begunAt }) =>
      /^waiting$|, pending$/.test(said) && othersEndAt > begunAt(request),
  },
];

/**
 * A request that was under way has saved the session after it had ended. The record of the login
 * has ended all the same: no guard lets pass, and no code of it can be entered.
 */
export const WORTHLESS = 'a session of a login that has ended';

/**
 * A number that has changed ends all other logins, and the one that has changed it was ended in the
 * same moment.
 */
const ALL_ENDED = 'a number changed, and every login has ended';

/**
 * The login form came twice, and the second session has asked for another text before the first was
 * charged: the first request was refused, and both sessions accept the code.
 */
const RESENT_FIRST = 'a text that the second of two forms asked for';

function isResentFirst({ texts, sessions }: Outcome): boolean {
  const [text, ...others] = texts;
  if (text?.by.startsWith('resend') !== true || others.length > 0) return false;
  return sessions.every(({ waitsFor }) => waitsFor === null || waitsFor.codes.includes(text.otpId));
}

/** Whether nobody is in, and no code lets anybody in. */
function letsNobodyIn(session: SessionView): boolean {
  return isEmpty(session) || (session.user === null && session.waitsFor?.isActive === false);
}

/** Returns the outcome as it is for whoever asks the library, not the session. */
function withoutWorthless(outcome: Outcome): Outcome {
  const sessions = outcome.sessions.map((session) =>
    isWorthless(session) ? { ...session, user: null, waitsFor: null } : session,
  );
  return { ...outcome, sessions };
}

/** What whole requests lead to, to compare with. */
export class Expectation {
  private readonly lines = new Set<string>();
  private readonly loose = new Set<string>();
  /** What is left without some of the requests, by their names. */
  private readonly without = new Map<string, Set<string>>();

  constructor(private readonly scenario: Scenario) {}

  /** Adds the outcome of whole requests, one after the other. */
  add(outcome: Outcome): void {
    this.lines.add(describe(outcome));
    this.loose.add(describeLoosely(outcome));
    this.loose.add(describeLoosely(withoutWorthless(outcome)));
    for (const part of listParts(this.scenario)) this.addWithout(part, outcome);
  }

  /** Adds the outcome of the other requests alone. */
  addWithout(names: readonly string[], outcome: Outcome): void {
    const key = toKey(names);
    const lines = this.without.get(key) ?? new Set();
    this.without.set(key, lines.add(describeLoosely(omit(withoutWorthless(outcome), names))));
  }

  /**
   * The same, or with another word in a refusal: it was noticed in another place that the request
   * comes too late.
   */
  has(outcome: Outcome): boolean {
    return this.lines.has(describe(outcome)) || this.loose.has(describeLoosely(outcome));
  }

  /** Returns the kinds of harmless outcomes that explain the difference; undefined: none. */
  explain(found: Outcome): readonly string[] | undefined {
    const outcome = withoutWorthless(found);
    const names = found.sessions.some(isWorthless) ? [WORTHLESS] : [];
    if (names.length > 0 && this.has(outcome)) return names;
    const isOneBrowser = this.scenario.beside === undefined;
    if (isOneBrowser && outcome.numbers.includes(NEW) && outcome.sessions.every(letsNobodyIn))
      return [...names, ALL_ENDED];
    const kinds = this.findKinds(outcome);
    return kinds && [...names, ...kinds];
  }

  private findKinds(outcome: Outcome): readonly string[] | undefined {
    const kinds = new Map<string, string>();
    for (const reply of outcome.replies) {
      const facts = toFacts(this.scenario, outcome, placeOf(reply.request));
      const kind = HARMLESS.find(({ explains }) => explains(reply, facts));
      if (kind !== undefined) kinds.set(reply.request, kind.name);
    }
    const all = outcome.replies.map(({ request }) => kinds.get(request));
    if (all.every((kind) => kind === ENDED_BEGINNING)) return [ENDED_BEGINNING];
    if (kinds.size === all.length && isResentFirst(outcome)) return [RESENT_FIRST];
    const explained = listParts(this.scenario).filter((part) =>
      part.every((name) => kinds.has(name)),
    );
    const part = explained.find((names) =>
      this.without.get(toKey(names))?.has(describeLoosely(omit(outcome, names))),
    );
    return part?.map((name) => kinds.get(name) ?? name);
  }
}

/**
 * Every choice of some of the requests, but not all, the smallest first. Of those that leave one
 * after the other the last ones are left out first.
 */
export function listParts(scenario: Scenario): readonly (readonly string[])[] {
  const requests = nameRequests(scenario);
  const none: readonly (readonly string[])[] = [[]];
  const isEnd = (part: readonly string[]): boolean =>
    requests.every(
      ({ name, actor }, index) =>
        part.includes(name) ||
        !requests.slice(0, index).some((one) => one.actor === actor && part.includes(one.name)),
    );
  return requests
    .reduce((smaller, { name }) => [...smaller, ...smaller.map((part) => [...part, name])], none)
    .filter((part) => part.length > 0 && part.length < requests.length && isEnd(part))
    .toSorted((one, other) => one.length - other.length);
}

function toKey(names: readonly string[]): string {
  return names.toSorted().join(' ');
}

/** Leaves out what requests were told and what they alone have made. */
function omit(outcome: Outcome, names: readonly string[]): Outcome {
  const has = (verb: string): boolean => names.some((name) => name.startsWith(verb));
  return {
    ...outcome,
    replies: outcome.replies.filter(({ request }) => !names.includes(request)),
    sessions: outcome.sessions.filter(({ cookie }) => !names.includes(cookie)),
    texts: outcome.texts.filter(({ by }) => !names.includes(by)),
    numbers: has('confirm') || has('remove') ? [] : outcome.numbers,
    // A code is judged by spending it.
    recoveryCodes: has('recover') ? 0 : outcome.recoveryCodes,
    ...(outcome.beside && { beside: omitBeside(outcome.beside, names) }),
  };
}

function omitBeside(beside: BesideOutcome, names: readonly string[]): BesideOutcome {
  const isLeft = (name: string): boolean => !names.includes(name);
  const [trusted, known] = [beside.trusted.filter(isLeft), beside.known.filter(isLeft)];
  const isSpent = names.some((name) => name.startsWith('recover'));
  return { trusted, known, recoveryCodes: isSpent ? 0 : beside.recoveryCodes };
}

function describeLoosely(outcome: Outcome): string {
  const replies = outcome.replies.map((reply) => {
    return isRefusal(reply.status) ? { ...reply, status: 400, said: 'refused' } : reply;
  });
  // A number that is not confirmed counts for nothing.
  const numbers = outcome.numbers.filter((number) => !number.endsWith('?'));
  return describe({ ...outcome, replies, numbers });
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}
