import { DAY_SECONDS } from '../../limits/charge';
import type { Core } from '../../core/context';
import type { PreparedPut, WrittenSuccess } from '../../core/feature';
import type { Method } from '../../method';
import type { LoginEnd } from '../../events';
import { repeatUntilDone } from '../../core/repeat';
import { toUserIdText } from '../../core/users';
import type { LoginReference } from '../../core/visit';
import type { RecordSet } from '../../stores/record-sets';
import type { Login, PutResult, RecordReference, UserId } from '../../stores/store';
import { CheckedLogins } from './checked-logins';

/** The option `logins`. */
export interface LoginsOption {
  /**
   * Seconds for which a process relies on a login being active before it asks the store again: 0 to
   * 300. After a login was ended in another process, this process knows it after that time at the
   * latest. With 0 every guarded request asks the store. Default: 30.
   */
  readonly checkEverySeconds?: number | undefined;
  /** Days that a login lasts after it was last seen: 1 to 365. Default: 30. */
  readonly maxAgeDays?: number | undefined;
}

/** A login as its user's page may show it. Times are milliseconds since 1970. */
export interface ListedLogin {
  readonly loginId: string;
  /** The browser and system, such as `Firefox, Windows`; may be empty. */
  readonly label: string;
  /** How the second factor was passed; null when none was required. */
  readonly method: Method | null;
  readonly startedAt: number;
  /** Updated at most once an hour. */
  readonly lastSeenAt: number;
}

/**
 * The records of logins, and what this process knows of them. If the store fails, calls reject with
 * a `StoreError`.
 */
export interface LoginRegistry {
  /**
   * Returns whether this process found the login active within `checkEverySeconds` before this
   * time. Allocates nothing.
   */
  readonly isChecked: (loginId: string, atMs: number) => boolean;
  /** Returns whether the login is active. Asks the store only if `isChecked` is false. */
  readonly isActive: (login: LoginReference) => Promise<boolean>;
  /** Asks the store now. Returns null if the login has ended. */
  readonly findActive: (login: LoginReference) => Promise<Login | null>;
  /** Begins a login at once, for a session from before `logins` was turned on. */
  readonly begin: (login: NewLogin) => Promise<WrittenLogin>;
  /** Prepares a login that begins with a success. */
  readonly prepare: (login: NewLogin) => PreparedLogin;
  /**
   * Prepares another login that replaces this one and keeps its start time.
   * @param method Undefined: it stays the same.
   */
  readonly prepareNext: (
    before: Login,
    method: Method | undefined,
  ) => PreparedLogin & { readonly replaces: RecordReference };
  /**
   * Replaces this login by another one, in one step. Returns null if it has ended: none begins
   * then.
   */
  readonly replace: (login: LoginReference, method: Method) => Promise<WrittenLogin | null>;
  /** Ends a login; returns whether it was active. */
  readonly end: (login: LoginReference, reason: LoginEnd) => Promise<boolean>;
  /** Ends all logins of a user but one; returns how many there were. */
  readonly endAll: (userId: string, reason: LoginEnd, except?: string) => Promise<number>;
  /**
   * Ends the logins that are listed beside this one. If this one is not listed, none ends. A login
   * that replaces this one meanwhile stays.
   */
  readonly endListed: (login: LoginReference, reason: LoginEnd) => Promise<void>;
  /** Returns the user's logins, the newest first. */
  readonly list: (id: UserId) => Promise<readonly ListedLogin[]>;
  /** Ends a login of this user; returns whether it was active. */
  readonly revoke: (id: UserId, loginId: string) => Promise<boolean>;
}

/** A login whose record is written with a success. */
export interface PreparedLogin extends PreparedPut {
  readonly login: LoginReference;
}

/** A login whose record is written. */
export interface WrittenLogin extends WrittenSuccess {
  readonly login: LoginReference;
}

/** A login that begins. */
export interface NewLogin {
  readonly userId: string;
  readonly method: Method | null;
  readonly label: string;
}

/**
 * The most logins of a user. Beyond that, a login without a second factor ends first, otherwise the
 * one that was seen longest ago.
 */
const MOST_LOGINS = 100;

const SEEN_EVERY_MS = 3_600_000;

interface RegistryServices {
  readonly logins: RecordSet<Login>;
  readonly now: () => number;
  readonly randomId: () => string;
  readonly emit: Core['emit'];
}

interface RegistryParts extends RegistryServices {
  readonly checkEverySeconds: number;
  readonly maxAgeDays: number;
}

/** The shared context of the records of logins. */
interface Registry extends RegistryServices {
  readonly checked: CheckedLogins;
  readonly lifeMs: number;
}

export function createLoginRegistry({
  checkEverySeconds,
  maxAgeDays,
  ...parts
}: RegistryParts): LoginRegistry {
  const { logins, now } = parts;
  const checked = new CheckedLogins(checkEverySeconds * 1000);
  const registry: Registry = { ...parts, checked, lifeMs: maxAgeDays * DAY_SECONDS * 1000 };

  return {
    isChecked: (loginId, atMs) => checked.isChecked(loginId, atMs),
    isActive: (login) =>
      checked.isChecked(login.loginId, now())
        ? Promise.resolve(true)
        : checked.askOnce(login.loginId, async (isOutdated) => {
            return (await ask(registry, login, isOutdated)) !== null;
          }),
    findActive: (login) => ask(registry, login),
    begin: (login) => begin(registry, login),
    prepare: (login) => toPrepared(registry, toRecord(registry, login)),
    prepareNext: (before, method) => prepareNext(registry, before, method),
    replace: (login, method) => replace(registry, login, method),
    end: (login, reason) => end(registry, login, reason),
    endAll: (userId, reason, except) => endAll(registry, userId, reason, except),
    endListed: (login, reason) => endListed(registry, login, reason),
    async list(id) {
      const found = await logins.list(toUserIdText(id).userId);
      const newestFirst = found.toSorted((one, other) => other.startedAt - one.startedAt);
      return newestFirst.map(toListedLogin);
    },
    revoke: (id, loginId) => end(registry, { userId: toUserIdText(id).userId, loginId }, 'revoked'),
  };
}

/**
 * Asks the store for a login, and emits `login-ended` if there is none.
 * @param isOutdated Left out: the answer is not kept.
 */
async function ask(
  registry: Registry,
  { userId, loginId }: LoginReference,
  isOutdated = () => true,
): Promise<Login | null> {
  const at = registry.now();
  const login = await see(registry, userId, loginId, at);
  if (login === null) tellEnded(registry, userId, [loginId], 'found-ended');
  else if (!isOutdated()) registry.checked.keep(loginId, at);
  return login;
}

/** Returns the login while it is active. Updates from time to time when it was last seen. */
async function see(
  { logins, lifeMs }: Registry,
  userId: string,
  loginId: string,
  at: number,
): Promise<Login | null> {
  const login = await logins.find(userId, loginId);
  if (login === null || at - login.lastSeenAt < SEEN_EVERY_MS) return login;
  const seen: Login = { ...login, lastSeenAt: at, expiresAt: at + lifeMs };
  if (await logins.swap(login, seen)) return seen;
  // Another request has updated or ended the login.
  return logins.find(userId, loginId);
}

/** Begins a login at once. */
async function begin(registry: Registry, begun: NewLogin): Promise<WrittenLogin> {
  const record = toRecord(registry, begun);
  const result = await registry.logins.put(record, { most: MOST_LOGINS });
  return toWritten(toPrepared(registry, record), result);
}

function toWritten({ login, done, undo }: PreparedLogin, result: PutResult): WrittenLogin {
  return { login, done: async () => done(result), undo: () => undo(result) };
}

function toRecord({ now, lifeMs, randomId }: Registry, { userId, method, label }: NewLogin): Login {
  const at = now();
  const times = { startedAt: at, lastSeenAt: at, expiresAt: at + lifeMs };
  return { version: 1, loginId: randomId(), userId, method, label, ...times };
}

function toPrepared(registry: Registry, record: Login): PreparedLogin {
  const { userId, loginId, lastSeenAt } = record;
  // Keep it before it is written: a call that ends the login meanwhile must find it here. Until it
  // is written, no session names it.
  registry.checked.keep(loginId, lastSeenAt);
  return {
    login: toReference(record),
    put: registry.logins.toPut(record, { most: MOST_LOGINS }),
    done: ({ gone }) => tellEnded(registry, userId, gone, 'too-many'),
    undo: (result) => takeBack(registry, record, result),
  };
}

function prepareNext(registry: Registry, before: Login, method: Method | undefined) {
  const prepared = toPreparedNext(registry, before, toNext(registry, before, method));
  return { ...prepared, replaces: registry.logins.toReference(before) };
}

/**
 * Prepares a login that replaces another one.
 * @param next The login that replaces `before`.
 */
function toPreparedNext(registry: Registry, before: Login, next: Login): PreparedLogin {
  const { userId, loginId } = before;
  const prepared = toPrepared(registry, next);
  const forget = (): void => registry.checked.forget(loginId);
  return {
    ...prepared,
    done(result) {
      tellEnded(registry, userId, [loginId], 'renewed');
      return prepared.done(result);
    },
    undo(result) {
      // Let the next guard ask the store whether the earlier login is active again.
      forget();
      return prepared.undo(result);
    },
    // The earlier login may have ended, so guards of this process must not rely on it any more.
    lost: forget,
  };
}

/**
 * Takes back a login whose session was not saved. If the first try fails, the rest is done after
 * the request: no session names the login.
 */
async function takeBack(
  registry: Registry,
  record: Login,
  result: PutResult | null,
): Promise<void> {
  const { userId, loginId } = record;
  const { gone = [], replaced = null } = result ?? {};
  registry.checked.forget(loginId);
  tellEnded(registry, userId, gone, 'too-many');
  const undo = async (): Promise<void> => {
    const isUndone = await registry.logins.undo(record, replaced);
    if (isUndone) tellEnded(registry, userId, [loginId], 'unused');
  };
  await repeatUntilDone(undo).first;
}

/**
 * Replaces a login in one step. If a logout comes at the same moment, only one of the two finds the
 * login.
 */
async function replace(
  registry: Registry,
  { userId, loginId }: LoginReference,
  method: Method,
): Promise<WrittenLogin | null> {
  const { logins, checked } = registry;
  const before = await logins.find(userId, loginId);
  if (before === null) return null;

  const next = toNext(registry, before, method);
  let isReplaced = false;
  try {
    isReplaced = await logins.swap(before, next);
  } finally {
    if (!isReplaced) checked.forget(loginId);
  }
  if (!isReplaced) return null;

  const result = { isPut: true, gone: [], replaced: logins.toPut(before).record };
  return toWritten(toPreparedNext(registry, before, next), result);
}

/** Returns the login that replaces another one and keeps its start time. */
function toNext(
  { now, lifeMs, randomId }: Registry,
  before: Login,
  method: Method | undefined,
): Login {
  const at = now();
  const times = { lastSeenAt: at, expiresAt: at + lifeMs };
  return { ...before, ...times, loginId: randomId(), method: method ?? before.method };
}

async function end(
  registry: Registry,
  { userId, loginId }: LoginReference,
  reason: LoginEnd,
): Promise<boolean> {
  try {
    const isEnded = await registry.logins.remove(userId, loginId);
    if (isEnded) tellEnded(registry, userId, [loginId], reason);
    return isEnded;
  } finally {
    registry.checked.forget(loginId);
  }
}

async function endAll(
  registry: Registry,
  userId: string,
  reason: LoginEnd,
  except?: string,
): Promise<number> {
  try {
    const ended = await registry.logins.removeAll(userId, except);
    tellEnded(registry, userId, ended, reason);
    return ended.length;
  } catch (error) {
    registry.checked.forgetAll();
    throw error;
  }
}

async function endListed(
  registry: Registry,
  { userId, loginId }: LoginReference,
  reason: LoginEnd,
): Promise<void> {
  const listed = await registry.logins.list(userId);
  if (!listed.some((login) => login.loginId === loginId)) return;
  const others = listed.filter((login) => login.loginId !== loginId);
  for (const other of others) await end(registry, toReference(other), reason);
}

/**
 * Emits that logins have ended, as soon as this process learns it. Otherwise the app would keep
 * their sockets open.
 */
function tellEnded(
  { checked, emit }: Registry,
  userId: string,
  loginIds: readonly string[],
  reason: LoginEnd,
): void {
  if (loginIds.length === 0) return;
  for (const loginId of loginIds) checked.forget(loginId);
  emit({ type: 'login-ended', userId, loginIds, reason });
}

function toListedLogin({ loginId, label, method, startedAt, lastSeenAt }: Login): ListedLogin {
  return { loginId, label, method, startedAt, lastSeenAt };
}

function toReference({ userId, loginId }: Login): LoginReference {
  return { userId, loginId };
}
