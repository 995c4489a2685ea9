import { type Facts, toFacts } from './invariants';
import { describe, isEmpty, type Outcome, type Reply } from './outcome';
import type { Scenario } from './scenarios';

/** An outcome that no order of whole requests has, and that harms nobody. */
interface Harmless {
  readonly name: string;
  readonly reason: string;
  /** Whether this one request explains the difference: without it, the others end as whole requests do. */
  readonly explains: (reply: Reply, facts: Facts) => boolean;
}

/** Every kind of harmless outcome. */
export const HARMLESS: readonly Harmless[] = [
  {
    name: 'a refusal that leaves nothing',
    reason: 'The request was told no, no text went out, and the others are as they would be without it.',
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
    name: 'a session of its own',
    reason:
      'A right password opens a session with an id of its own; what others do to the one before concerns another cookie.',
    explains: ({ request }, { outcome: { sessions } }) =>
      /^(send|device)/.test(request) &&
      sessions.some((session) => session.cookie === request && !isEmpty(session)),
  },
  {
    name: 'a logout in the middle of a success',
    reason:
      'The logout took the user out of the session that the success has renewed: who has logged out is out.',
    explains: ({ request, said }, { outcome: { sessions }, told }) =>
      said === 'verified' &&
      told('out').length > 0 &&
      !sessions.some(({ cookie, user }) => cookie === request && user !== null),
  },
];

/** What whole requests lead to, to compare with. */
export class Expectation {
  private readonly lines = new Set<string>();
  private readonly loose = new Set<string>();
  private readonly without = new Map<string, Set<string>>();

  constructor(private readonly scenario: Scenario) {}

  /** Adds the outcome of whole requests, one after the other. */
  add(outcome: Outcome): void {
    this.lines.add(describe(outcome));
    this.loose.add(describeLoosely(outcome));
    for (const { request } of outcome.replies) this.addWithout(request, outcome);
  }

  /** Adds the outcome of the other requests. */
  addWithout(request: string, outcome: Outcome): void {
    const lines = this.without.get(request) ?? new Set();
    this.without.set(request, lines.add(describeLoosely(omit(outcome, request))));
  }

  has(outcome: Outcome): boolean {
    return this.lines.has(describe(outcome));
  }

  /** The same with another word in a refusal: it was noticed in another place that the request comes too late. */
  hasLoosely(outcome: Outcome): boolean {
    return this.loose.has(describeLoosely(outcome));
  }

  /** Returns the name of the kind of harmless outcome; undefined: it is none. */
  explain(outcome: Outcome): string | undefined {
    const facts = toFacts(this.scenario, outcome);
    return HARMLESS.find(({ explains }) =>
      outcome.replies.some((reply) => {
        const lines = this.without.get(reply.request);
        return explains(reply, facts) && lines?.has(describeLoosely(omit(outcome, reply.request))) === true;
      }),
    )?.name;
  }
}

/** Leaves out what a request was told and what it alone has made. */
function omit(outcome: Outcome, request: string): Outcome {
  return {
    ...outcome,
    replies: outcome.replies.filter((reply) => reply.request !== request),
    sessions: outcome.sessions.filter(({ cookie }) => cookie !== request),
    texts: outcome.texts.filter(({ by }) => by !== request),
    numbers: request.startsWith('confirm') ? [] : outcome.numbers,
    // A code is judged by spending it.
    recoveryCodes: request.startsWith('recover') ? 0 : outcome.recoveryCodes,
  };
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
