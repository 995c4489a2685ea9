import type { Harm } from './invariants';
import type { Scenario, Verb } from './scenarios';

/** A harm that is known, and told in maintainers/correctness.md. */
export interface KnownHarm {
  readonly harm: Harm;
  /** What brings it about. */
  readonly cause: string;
  /** Requests that bring it about together: each verb with those beside it, separated by spaces. */
  readonly pairs: Partial<Record<Verb, string>>;
}

const LATE_SAVE =
  'the session is read again and then saved, and what came in between is overwritten';

/**
 * What may happen without the option `logins`: express-session cannot save a session on the
 * condition that it is still there. An entry that no order reaches any more must go.
 */
export const KNOWN_HARMS: readonly KnownHarm[] = [
  {
    harm: 'a logout was undone',
    cause: LATE_SAVE,
    pairs: {
      wrong: 'logout',
      resend: 'logout',
      cancel: 'logout',
      'step-up': 'logout',
      transaction: 'logout',
      enroll: 'logout',
    },
  },
  {
    harm: 'the old session is logged in after a renewal',
    cause: LATE_SAVE,
    pairs: {
      send: 'right wrong resend cancel step-up transaction enroll recover',
      right: 'right wrong resend cancel step-up transaction enroll recover device',
      wrong: 'recover device',
      resend: 'confirm recover device',
      cancel: 'confirm recover device',
      'step-up': 'confirm recover device',
      transaction: 'confirm recover device',
      enroll: 'confirm recover device',
      confirm: 'confirm',
      recover: 'recover device',
    },
  },
];

/** Returns whether two of these requests are known to bring the harm about. */
export function isKnownHarm(harm: Harm, { verbs, hasNoLogins }: Scenario): boolean {
  if (hasNoLogins !== true) return false;
  const known = KNOWN_HARMS.flatMap((entry) => (entry.harm === harm ? listPairs(entry) : []));
  return verbs.some((one, index) =>
    verbs.slice(index + 1).some((other) => known.includes(toPair(one, other))),
  );
}

/** The pairs of an entry, such as `resend + cancel`. */
export function listPairs({ pairs }: KnownHarm): readonly string[] {
  return Object.entries(pairs).flatMap(([verb, others]) =>
    others.split(' ').map((other) => toPair(verb, other)),
  );
}

export function toPair(one: string, other: string): string {
  return `${one} + ${other}`;
}
