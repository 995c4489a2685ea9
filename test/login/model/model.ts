import type { Purpose } from 'passport-sms-otp';

/** What the model knows of a browser. */
export interface ModelSession {
  user: string | null;
  /** Whose second factor the session has passed. */
  mark: string | null;
  /**
   * When the record of its login was lost with the store; null: it is there. The process may take
   * the login for live until it asks again.
   */
  lostAt: number | null;
  pending: {
    readonly pendingId: string;
    /** The text it shows; null: none went out. */
    readonly otpId: string | null;
    readonly purpose: Purpose;
    readonly pendingUntil: number;
    /** The session knows that its last attempt is gone. */
    isSpent?: boolean;
  } | null;
}

/** What the model knows of a code that is out. */
export interface ModelText {
  readonly otpId: string;
  readonly pin: string;
  /** Seconds of the model's clock. */
  readonly expiresAt: number;
  attempts: number;
}

/** What the model knows of a pending login. */
export interface ModelLogin {
  readonly pendingId: string;
  readonly user: string;
  readonly purpose: Purpose;
  /** Seconds of the model's clock. */
  readonly pendingUntil: number;
  sends: number;
  /** The newest text, unless another login of its user and purpose was texted since. */
  text: ModelText | null;
  /** The one before it. */
  earlier: ModelText | null;
  /** Codes that were typed while it had no text. */
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
  /** The pending logins, by their ids. */
  readonly logins: Map<string, ModelLogin>;
  /** How often each OTP id let somebody in. */
  readonly entries: Map<string, number>;
}

export const BROWSERS = 2;
export const USERS = ['alice', 'bob'] as const;

export function createModel(): Model {
  return {
    now: 0,
    sessions: Array.from({ length: BROWSERS }, () => createSession()),
    users: Object.fromEntries(USERS.map((id) => [id, createUser()])),
    logins: new Map(),
    entries: new Map(),
  };
}

/** A session in which nobody is logged in. */
export function createSession(pending: ModelSession['pending'] = null): ModelSession {
  return { user: null, mark: null, lostAt: null, pending };
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

/** The pending login that a session waits in, while it is live. */
export function activeLogin(model: Model, { pending }: ModelSession): ModelLogin | undefined {
  const login = pending === null ? undefined : model.logins.get(pending.pendingId);
  return login !== undefined && login.pendingUntil > model.now ? login : undefined;
}

/**
 * A new code: those of the user's other login of that purpose are over; it waits on. Of its own
 * login, the one before it stays.
 */
export function addText(model: Model, login: ModelLogin, text: ModelText): void {
  for (const earlier of model.logins.values()) {
    const isOther = earlier !== login && earlier.user === login.user;
    if (isOther && earlier.purpose === login.purpose)
      Object.assign(earlier, { text: null, earlier: null });
  }
  login.earlier = login.text;
  login.text = text;
  login.sends += 1;
  model.logins.set(login.pendingId, login);
  userOf(model, login.user).sentAt.push(model.now);
}

/** All that a store holds is gone. */
export function loseStore(model: Model): void {
  model.logins.clear();
  for (const session of model.sessions) if (session.mark !== null) session.lostAt ??= model.now;
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
