import { StoreError } from '../../errors';
import type {
  ActivePendingLogin,
  AttachedOtp,
  BeginOptions,
  BegunPendingLogin,
  ClaimOptions,
  FinishOptions,
  NewPendingLogin,
  PendingClaim,
  PendingLoginStore,
} from '../store';
import { type Expiring, ExpiringMap, joinParts, toPromise } from './expiring-map';

/** Pending logins, with the call that `finish` needs. */
export interface MemoryPendingLogins {
  readonly store: PendingLoginStore;
  /** Returns a function that ends the login. Null if it cannot be finished. */
  prepare(
    pendingId: string,
    options: Pick<FinishOptions, 'otpId' | 'acceptsPassed' | 'leavesMark'>,
    nowMs: number,
  ): (() => void) | null;
}

export function memoryPendingLogins(maxEntries: number, now: () => number): MemoryPendingLogins {
  const byUser: LoginsByUser = new Map();
  const logins = new ExpiringMap<StoredLogin>(maxEntries, now, (login) => forget(byUser, login));

  function activeOf(userId: string, nowMs: number): readonly StoredLogin[] {
    const isActive = (login: StoredLogin): boolean => !login.hasPassed && login.deadlineMs > nowMs;
    return findOfUser(byUser, userId).filter(isActive);
  }

  function findActive(pendingId: string, nowMs = now()): StoredLogin | undefined {
    const found = logins.get(pendingId, nowMs);
    return found?.hasPassed === false ? found : undefined;
  }

  function begin(begun: NewPendingLogin, options: BeginOptions): BegunPendingLogin {
    const nowMs = now();
    if (logins.get(begun.pendingId, nowMs) !== undefined)
      throw new StoreError('begin: the id is taken');

    const ofUser = activeOf(begun.userId, nowMs);
    const joined =
      options.joinSeconds > 0
        ? findJoined(ofUser, begun, nowMs - options.joinSeconds * 1000)
        : undefined;
    if (joined !== undefined)
      return { outcome: 'joined', pendingId: joined.key, login: toActive(joined) };

    const withoutOtp = ofUser.filter(({ side, sends }) => side === begun.side && sends === 0);
    if (withoutOtp.length >= options.most) {
      const ended = findEnded(withoutOtp, begun.block, nowMs - options.protectedSeconds * 1000);
      if (ended === undefined) return { outcome: 'refused' };
      logins.delete(ended);
    }

    logins.makeRoom(1, nowMs);
    const login = createLogin(begun, nowMs, nowMs + options.ttlSeconds * 1000);
    logins.add(login);
    remember(byUser, login);
    return { outcome: 'begun' };
  }

  function attach(pendingId: string, otp: AttachedOtp, endsPrevious: boolean): boolean {
    const nowMs = now();
    const login = findActive(pendingId, nowMs);
    if (login === undefined) return false;

    for (const other of activeOf(login.userId, nowMs)) {
      if (other === login) continue;
      if (isOfSeries(other, login)) logins.delete(other);
      else if (other.place === login.place) dropOtps(other);
    }
    addOtp(login, otp);
    if (endsPrevious) login.older = undefined;
    return true;
  }

  function claim(pendingId: string, options: ClaimOptions): PendingClaim {
    const login = findActive(pendingId);
    return login === undefined ? { outcome: 'unknown' } : claimAttempt(login, options);
  }

  function find(pendingId: string): ActivePendingLogin | 'passed' | null {
    const login = logins.get(pendingId);
    if (login === undefined) return null;
    return login.hasPassed ? 'passed' : toActive(login);
  }

  function findNewest(userId: string, series: string): NewestLogin | null {
    const ofSeries = activeOf(userId, now()).filter((login) => login.series === series);
    const found = ofSeries.find(({ newest }) => newest !== undefined) ?? lastBegun(ofSeries);
    return found === undefined ? null : { pendingId: found.key, login: toActive(found) };
  }

  function end(pendingId: string, otpId: string | undefined): boolean {
    const login = logins.get(pendingId);
    if (login === undefined) return false;
    if (otpId !== undefined) return endOtp(login, otpId);

    logins.delete(login);
    return !login.hasPassed;
  }

  function endAll(userId: string, except: string | undefined): void {
    for (const login of findOfUser(byUser, userId)) if (login.key !== except) logins.delete(login);
  }

  function prepare(
    pendingId: string,
    options: Pick<FinishOptions, 'otpId' | 'acceptsPassed' | 'leavesMark'>,
    nowMs: number,
  ): (() => void) | null {
    const { otpId, acceptsPassed = false, leavesMark } = options;
    const login = logins.get(pendingId, nowMs);
    if (login === undefined) return null;
    if (login.hasPassed && !acceptsPassed) return null;
    if (otpId !== undefined && findOtp(login, otpId) === undefined) return null;

    return () => {
      if (leavesMark) leaveMark(login);
      else logins.delete(login);
    };
  }

  return {
    prepare,
    store: {
      begin: (login, options) => toPromise(() => begin(login, options)),
      attach: (pendingId, otp, options) =>
        toPromise(() => attach(pendingId, otp, options?.endsPrevious === true)),
      claim: (pendingId, options) => toPromise(() => claim(pendingId, options)),
      find: (pendingId) => toPromise(() => find(pendingId)),
      findNewest: (userId, series) => toPromise(() => findNewest(userId, series)),
      end: (pendingId, options) => toPromise(() => end(pendingId, options?.otpId)),
      endAll: (userId, except) => toPromise(() => endAll(userId, except)),
    },
  };
}

type NewestLogin = NonNullable<Awaited<ReturnType<PendingLoginStore['findNewest']>>>;

interface StoredLogin extends Expiring {
  readonly userId: string;
  readonly place: string;
  readonly side: string;
  /** The address block, needed until the first OTP is attached. */
  block: string | undefined;
  readonly sender: string | undefined;
  readonly series: string | undefined;
  readonly begunAtMs: number;
  value: string;
  hasPassed: boolean;
  sends: number;
  newest: AttachedOtp | undefined;
  older: AttachedOtp | undefined;
  /**
   * The attempts of each kind and at each OTP, ended ones included, because they may be attached
   * again. Most logins have none.
   */
  attempts: Map<string, number> | undefined;
}

/** The logins of each user. Most users have one, which needs no set. */
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

function createLogin(begun: NewPendingLogin, nowMs: number, deadlineMs: number): StoredLogin {
  const { userId, place, side, block, sender, series, value } = begun;
  joinParts(userId, place, block, value, sender ?? '', series ?? '');
  return {
    key: begun.pendingId,
    deadlineMs,
    userId,
    place,
    side,
    block,
    sender,
    series,
    begunAtMs: nowMs,
    value,
    hasPassed: false,
    sends: 0,
    newest: undefined,
    older: undefined,
    attempts: undefined,
  };
}

/** Returns the login that a new one joins. */
function findJoined(
  ofUser: readonly StoredLogin[],
  begun: NewPendingLogin,
  sinceMs: number,
): StoredLogin | undefined {
  if (begun.sender === undefined) return undefined;

  const newest = lastBegun(ofUser.filter(({ place }) => place === begun.place));
  const isSame = newest?.sender === begun.sender && newest.begunAtMs >= sinceMs;
  return isSame && newest.attempts === undefined ? newest : undefined;
}

function lastBegun(logins: readonly StoredLogin[]): StoredLogin | undefined {
  // The logins of a user are in the order in which they began.
  return logins.at(-1);
}

/** Returns the login to end to make room for another one of the user. */
function findEnded(
  withoutOtp: readonly StoredLogin[],
  block: string,
  protectedSinceMs: number,
): StoredLogin | undefined {
  // The logins are in the order in which they began.
  return (
    withoutOtp.find((login) => login.block === block) ??
    withoutOtp.find((login) => login.begunAtMs < protectedSinceMs)
  );
}

function isOfSeries(one: StoredLogin, other: StoredLogin): boolean {
  return one.series !== undefined && one.series === other.series;
}

function addOtp(login: StoredLogin, { otpId, value }: AttachedOtp): void {
  joinParts(otpId, value);
  if (login.newest?.otpId !== otpId) login.older = login.newest;
  login.newest = { otpId, value };
  login.block = undefined;
  login.sends += 1;
}

function claimAttempt(login: StoredLogin, options: ClaimOptions): PendingClaim {
  const { of, otpId, most } = options;
  const named = otpId === undefined ? login.newest : findOtp(login, otpId);
  if (otpId !== undefined && named === undefined) return { outcome: 'unknown' };

  const countedOtpId = of === 'otp' ? named?.otpId : undefined;
  const countedAt = countedOtpId === undefined ? `kind ${of}` : `otp ${countedOtpId}`;
  const attempt = 1 + (login.attempts?.get(countedAt) ?? 0);
  if (attempt > most) return { outcome: 'exhausted' };

  (login.attempts ??= new Map()).set(countedAt, attempt);
  return { outcome: 'claimed', attempt, otpId: countedOtpId ?? null, login: toActive(login) };
}

function findOtp(login: StoredLogin, otpId: string): AttachedOtp | undefined {
  if (login.newest?.otpId === otpId) return login.newest;
  return login.older?.otpId === otpId ? login.older : undefined;
}

function endOtp(login: StoredLogin, otpId: string): boolean {
  const otp = findOtp(login, otpId);
  if (otp === undefined) return false;

  if (otp === login.newest) login.newest = login.older;
  login.older = undefined;
  return true;
}

function dropOtps(login: StoredLogin): void {
  login.newest = undefined;
  login.older = undefined;
}

function leaveMark(login: StoredLogin): void {
  dropOtps(login);
  Object.assign(login, { hasPassed: true, value: '', attempts: undefined });
}

function toActive(login: StoredLogin): ActivePendingLogin {
  const otps = [login.newest, login.older].flatMap((otp) => otp ?? []);
  return {
    userId: login.userId,
    value: login.value,
    sends: login.sends,
    otps: otps.map(({ otpId, value }) => ({ otpId, value })),
  };
}
