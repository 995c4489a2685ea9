import type { Purpose } from 'passport-sms-otp';

/** What the model knows of a browser. */
export interface ModelSession {
  user: string | null;
  /** Whose second factor the session has passed. */
  mark: string | null;
  pending: {
    readonly otpId: string;
    readonly purpose: Purpose;
    readonly pendingUntil: number;
    /** The session knows that its last attempt is gone. */
    isSpent?: boolean;
  } | null;
}

/** What the model knows of a code that is out. */
export interface ModelChallenge {
  readonly otpId: string;
  readonly user: string;
  readonly purpose: Purpose;
  readonly pin: string;
  /** Whether its text is the newest of its user and purpose. */
  hasCode: boolean;
  readonly sends: number;
  /** Seconds of the model's clock. */
  readonly expiresAt: number;
  readonly pendingUntil: number;
  attempts: number;
}

/** What the model knows of a user. */
export interface ModelUser {
  /** Codes that were judged wrong, or may have been judged, since the last success. */
  failures: number;
  /** Of these, the ones that count toward a lock: not those whose answer was lost. */
  lockFailures: number;
  lockedUntil: number;
  /** Sends since the last success, in seconds of the model's clock. */
  sentAt: number[];
}

/** The whole login, small. Time is in seconds from the start of the run. */
export interface Model {
  now: number;
  readonly sessions: ModelSession[];
  readonly users: Record<string, ModelUser>;
  /** The challenges that are live, by OTP id. */
  readonly challenges: Map<string, ModelChallenge>;
  /** How often each OTP id let somebody in. */
  readonly entries: Map<string, number>;
}

export const BROWSERS = 2;
export const USERS = ['alice', 'bob'] as const;

export function createModel(): Model {
  return {
    now: 0,
    sessions: Array.from({ length: BROWSERS }, () => ({ user: null, mark: null, pending: null })),
    users: Object.fromEntries(USERS.map((id) => [id, createUser()])),
    challenges: new Map(),
    entries: new Map(),
  };
}

export function createUser(): ModelUser {
  return { failures: 0, lockFailures: 0, lockedUntil: 0, sentAt: [] };
}

/** The session of a browser. */
export function sessionOf(model: Model, browser: number): ModelSession {
  const session = model.sessions[browser];
  if (session === undefined) throw new Error('there is no such browser');
  return session;
}

export function userOf(model: Model, id: string): ModelUser {
  return (model.users[id] ??= createUser());
}

/** The challenge of an OTP id while it is live. */
export function liveChallenge(model: Model, otpId: string): ModelChallenge | undefined {
  const challenge = model.challenges.get(otpId);
  return challenge !== undefined && challenge.pendingUntil > model.now ? challenge : undefined;
}

/** A new code: the one before it, for the same user and purpose, is over; its login waits on. */
export function beginChallenge(model: Model, challenge: ModelChallenge): void {
  for (const earlier of model.challenges.values()) {
    if (earlier.user === challenge.user && earlier.purpose === challenge.purpose)
      earlier.hasCode = false;
  }
  model.challenges.set(challenge.otpId, challenge);
  userOf(model, challenge.user).sentAt.push(model.now);
}

/** All that a store holds is gone. */
export function loseStore(model: Model): void {
  model.challenges.clear();
  for (const id of USERS) model.users[id] = createUser();
}

/** The refusal a user meets anywhere because of failures, or null. */
export function lockOf(model: Model, id: string): 'locked' | 'disabled' | null {
  const { failures, lockedUntil } = userOf(model, id);
  if (failures >= 50) return 'disabled';
  return lockedUntil > model.now ? 'locked' : null;
}

/** The shortest gap after so many sends without a success, in seconds. */
export function gapAfter(sends: number): number {
  return sends === 0 ? 0 : Math.min(300, 30 * 2 ** (sends - 1));
}
