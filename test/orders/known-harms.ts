import type { Harm } from './invariants';
import type { Verb } from './scenarios';

/** A harm that is known and not mended yet. */
export interface KnownHarm {
  readonly harm: Harm;
  /** What brings it about. */
  readonly cause: string;
  /** Requests that bring it about together: each verb with those beside it, separated by spaces. */
  readonly pairs: Partial<Record<Verb, string>>;
}

const LATE_SAVE = 'the session is read again and then saved, and what came in between is overwritten';
const SUPERSEDED = 'an OTP id that a newer text has superseded is taken for the end of the pending login';
const BOTH = `${LATE_SAVE}; ${SUPERSEDED}`;

/**
 * What the explorer has found and is yet to be mended. An entry that no order reaches any more must go: the complete run
 * says so.
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
      send: 'wrong resend cancel step-up transaction enroll',
      right: 'right wrong resend cancel step-up transaction enroll recover',
      wrong: 'recover device',
      resend: 'confirm recover device',
      cancel: 'confirm recover device',
      'step-up': 'confirm recover device',
      transaction: 'confirm recover device',
      enroll: 'confirm recover device',
      confirm: 'confirm',
      recover: 'recover',
    },
  },
  {
    harm: 'the old session is back after a renewal',
    cause: LATE_SAVE,
    pairs: {
      send: 'right wrong resend',
      right: 'right wrong resend recover device',
      wrong: 'recover device',
      resend: 'recover device',
    },
  },
  {
    harm: 'a cancel was undone',
    cause: LATE_SAVE,
    pairs: {
      right: 'cancel',
      wrong: 'cancel',
      resend: 'cancel',
      cancel: 'confirm',
    },
  },
  {
    harm: 'a text was announced, and its code can be entered nowhere',
    cause: BOTH,
    pairs: {
      send: 'resend',
      right: 'resend step-up transaction',
      wrong: 'resend step-up transaction enroll',
      resend: 'resend step-up transaction enroll confirm recover',
      'step-up': 'step-up',
      enroll: 'confirm',
    },
  },
  {
    harm: 'a text went out, and nobody was told',
    cause: BOTH,
    pairs: {
      send: 'resend',
      right: 'resend',
      wrong: 'resend',
      resend: 'resend step-up confirm recover',
      'step-up': 'step-up',
    },
  },
  {
    harm: 'a recovery code was spent for nothing',
    cause: BOTH,
    pairs: {
      send: 'recover',
      resend: 'recover',
      'step-up': 'recover',
      transaction: 'recover',
      enroll: 'recover',
    },
  },
];

/** Returns whether two of these requests are known to bring the harm about. */
export function isKnownHarm(harm: Harm, verbs: readonly Verb[]): boolean {
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
