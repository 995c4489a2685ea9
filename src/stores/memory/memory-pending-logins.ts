import { checkClaim, checkPendingLogin, checkText } from '../check-values';
import type {
  AttachedOtp,
  ClaimOptions,
  ActivePendingLogin,
  NewPendingLogin,
  PendingClaim,
  PendingLoginStore,
} from '../store';
import { type Expiring, ExpiringMap, joinParts, toPromise } from './expiring-map';

/** Pending logins, and what `finish` needs of them. */
export interface MemoryPendingLogins {
  readonly store: PendingLoginStore;
  /**
   * Returns what ends the login; null when it is not live, or `otpId` is given and no live text of
   * it.
   */
  prepare(
    pendingId: string,
    otpId: string | undefined,
    nowMs: number,
  ): ((leavesMark: boolean) => void) | null;
}

export function memoryPendingLogins(maxEntries: number, now: () => number): MemoryPendingLogins {
  const byUser: LoginsByUser = new Map();
  const logins = new ExpiringMap<StoredLogin>(maxEntries, now, (login) => forget(byUser, login));
  const ofUser = (userId: string): readonly StoredLogin[] => findOfUser(byUser, userId);

  /** Returns the login while it waits; one that has passed is not live. */
  function findLive(pendingId: string, nowMs?: number): StoredLogin | undefined {
    const found = logins.get(pendingId, nowMs);
    return found?.hasPassed === true ? undefined : found;
  }

  function begin(begun: NewPendingLogin, ttlSeconds: number): boolean {
    const nowMs = now();
    const former = logins.get(begun.pendingId, nowMs);
    if (begun.otp === undefined && former?.newest !== undefined) return false;

    if (former === undefined) logins.makeRoom(1, nowMs);
    const login = createLogin(begun, nowMs + ttlSeconds * 1000);
    logins.add(login);
    remember(byUser, login);
    if (begun.otp !== undefined) addText(login, begun.otp, ofUser(login.userId));

    return true;
  }

  function attach(pendingId: string, text: AttachedOtp): boolean {
    const login = findLive(pendingId);
    if (login !== undefined) addText(login, text, ofUser(login.userId));
    return login !== undefined;
  }

  function claim(pendingId: string, options: ClaimOptions): PendingClaim {
    const login = findLive(pendingId);
    return login === undefined ? { outcome: 'unknown' } : claimAttempt(login, options);
  }

  function find(pendingId: string): ActivePendingLogin | 'passed' | null {
    const login = logins.get(pendingId);
    if (login === undefined) return null;
    return login.hasPassed ? 'passed' : toLive(login);
  }

  function end(pendingId: string, otpId: string | undefined): boolean {
    const login = logins.get(pendingId);
    if (login === undefined) return false;
    if (otpId !== undefined) return endText(login, otpId);

    logins.delete(login);
    return !login.hasPassed;
  }

  function endAll(userId: string, except: string | undefined): void {
    for (const login of ofUser(userId)) if (login.key !== except) logins.delete(login);
  }

  function prepare(
    pendingId: string,
    otpId: string | undefined,
    nowMs: number,
  ): ((leavesMark: boolean) => void) | null {
    const login = findLive(pendingId, nowMs);
    if (login === undefined) return null;
    if (otpId !== undefined && findText(login, otpId) === undefined) return null;

    return (leavesMark) => {
      if (leavesMark) leaveMark(login);
      else logins.delete(login);
    };
  }

  return {
    prepare,
    store: {
      begin: (login, ttlSeconds) =>
        toPromise(() => {
          checkPendingLogin(login, ttlSeconds);
          return begin(login, ttlSeconds);
        }),
      attach: (pendingId, text) =>
        toPromise(() => {
          checkText(text);
          return attach(pendingId, text);
        }),
      claim: (pendingId, options) =>
        toPromise(() => {
          checkClaim(options);
          return claim(pendingId, options);
        }),
      find: (pendingId) => toPromise(() => find(pendingId)),
      end: (pendingId, options) => toPromise(() => end(pendingId, options?.otpId)),
      endAll: (userId, except) => toPromise(() => endAll(userId, except)),
    },
  };
}

interface StoredLogin extends Expiring {
  readonly userId: string;
  readonly place: string;
  value: string;
  hasPassed: boolean;
  sends: number;
  newest: StoredText | undefined;
  older: StoredText | undefined;
  /** The attempts of each kind that were counted at no text; most logins have none. */
  attempts: Map<string, number> | undefined;
}

interface StoredText extends AttachedOtp {
  attempts: number;
}

/** The logins of each user: most have one, which needs no set. */
type LoginsByUser = Map<string, StoredLogin | Set<StoredLogin>>;

function forget(byUser: LoginsByUser, login: StoredLogin): void {
  const found = byUser.get(login.userId);
  if (!(found instanceof Set)) byUser.delete(login.userId);
  else if (found.delete(login) && found.size === 0) byUser.delete(login.userId);
}

function remember(byUser: LoginsByUser, login: StoredLogin): void {
  const found = byUser.get(login.userId);
  if (found === undefined) byUser.set(login.userId, login);
  else if (found instanceof Set) found.add(login);
  else byUser.set(login.userId, new Set([found, login]));
}

function findOfUser(byUser: LoginsByUser, userId: string): readonly StoredLogin[] {
  const found = byUser.get(userId);
  if (found === undefined) return [];
  return found instanceof Set ? [...found] : [found];
}

function createLogin(begun: NewPendingLogin, deadlineMs: number): StoredLogin {
  joinParts(begun.userId, begun.place, begun.value);
  return {
    key: begun.pendingId,
    deadlineMs,
    userId: begun.userId,
    place: begun.place,
    value: begun.value,
    hasPassed: false,
    sends: 0,
    newest: undefined,
    older: undefined,
    attempts: undefined,
  };
}

/** @param ofUser The logins of the same user: the others of its place lose their texts. */
function addText(login: StoredLogin, text: AttachedOtp, ofUser: readonly StoredLogin[]): void {
  for (const other of ofUser) if (other !== login && other.place === login.place) dropTexts(other);

  const known = findText(login, text.otpId);
  const older = known === login.newest ? login.older : login.newest;
  joinParts(text.otpId, text.value);

  login.newest = { otpId: text.otpId, value: text.value, attempts: known?.attempts ?? 0 };
  login.older = older;
  login.sends += 1;
}

function claimAttempt(login: StoredLogin, { of, otpId, most }: ClaimOptions): PendingClaim {
  const named = otpId === undefined ? login.newest : findText(login, otpId);
  if (otpId !== undefined && named === undefined) return { outcome: 'unknown' };

  const text = of === 'otp' ? named : undefined;
  const attempt = countAttempt(login, text, of);
  if (attempt > most) return { outcome: 'exhausted' };

  if (text === undefined) (login.attempts ??= new Map()).set(of, attempt);
  else text.attempts = attempt;
  return { outcome: 'claimed', attempt, otpId: text?.otpId ?? null, login: toLive(login) };
}

function findText(login: StoredLogin, otpId: string): StoredText | undefined {
  if (login.newest?.otpId === otpId) return login.newest;
  return login.older?.otpId === otpId ? login.older : undefined;
}

/** Returns the number of the next attempt. */
function countAttempt(login: StoredLogin, text: StoredText | undefined, of: string): number {
  return 1 + (text === undefined ? (login.attempts?.get(of) ?? 0) : text.attempts);
}

function endText(login: StoredLogin, otpId: string): boolean {
  const text = findText(login, otpId);
  if (text === undefined) return false;
  if (text === login.newest) login.newest = login.older;
  login.older = undefined;
  return true;
}

function dropTexts(login: StoredLogin): void {
  login.newest = undefined;
  login.older = undefined;
}

function leaveMark(login: StoredLogin): void {
  dropTexts(login);
  Object.assign(login, { hasPassed: true, value: '', attempts: undefined });
}

function toLive(login: StoredLogin): ActivePendingLogin {
  const texts = [login.newest, login.older].flatMap((text) => text ?? []);
  return {
    userId: login.userId,
    value: login.value,
    sends: login.sends,
    otps: texts.map(({ otpId, value }) => ({ otpId, value })),
  };
}
