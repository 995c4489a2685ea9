import { DAY_SECONDS } from '../limits/charge';
import type {
  NewLogin,
  ListedLogin,
  Core,
  LoginReference,
  LoginRegistry,
  PreparedLogin,
} from '../login/context';
import type { Method } from '../login/outcome';
import type { LoginEnd } from '../login/events';
import { repeatUntilDone } from '../login/repeat';
import { toUserIdText } from '../login/users';
import type { RecordSet } from '../stores/record-sets';
import type { Login } from '../stores/store';
import { CheckedLogins } from './checked-logins';

/** The option `logins`. */
export interface LoginsOption {
  /**
   * Seconds for which a process takes a login for live without asking the store again: 0 to 300.
   * What ends in another process is known after that time at the latest; with 0 every guarded
   * request asks the store. Default: 30.
   */
  readonly checkEverySeconds?: number | undefined;
  /** Days that a login lives after it was last seen: 1 to 365. Default: 30. */
  readonly maxAgeDays?: number | undefined;
}

/** Beyond this a login without a second factor ends, otherwise the one seen longest ago. */
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

/** The records of logins, and what this process knows of them. */
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
    isLive: (login) =>
      checked.isChecked(login.loginId, now())
        ? Promise.resolve(true)
        : checked.askOnce(login.loginId, async (isOutdated) => {
            return (await ask(registry, login, isOutdated)) !== null;
          }),
    findLive: (login) => ask(registry, login),
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

/** @param isOutdated Left out: the answer is not kept. */
async function ask(
  registry: Registry,
  { userId, loginId }: LoginReference,
  isOutdated = () => true,
): Promise<Login | null> {
  const at = registry.now();
  const live = await see(registry, userId, loginId, at);
  if (live === null) tellEnded(registry, userId, [loginId], 'found-ended');
  else if (!isOutdated()) registry.checked.keep(loginId, at);
  return live;
}

/** Returns the login while it is active, and writes now and then that it was seen. */
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
  // Another request has written it, or has ended the login.
  return logins.find(userId, loginId);
}

/** Begins a login at once. */
async function begin(registry: Registry, begun: NewLogin): Promise<LoginReference> {
  const login = toRecord(registry, begun);
  const { gone } = await registry.logins.put(login, { most: MOST_LOGINS });
  keepWritten(registry, login, gone);
  return toReference(login);
}

function toRecord({ now, lifeMs, randomId }: Registry, { userId, method, label }: NewLogin): Login {
  const at = now();
  const times = { startedAt: at, lastSeenAt: at, expiresAt: at + lifeMs };
  return { version: 1, loginId: randomId(), userId, method, label, ...times };
}

function toPrepared(registry: Registry, record: Login): PreparedLogin {
  const login = toReference(record);
  return {
    login,
    put: registry.logins.toPut(record, { most: MOST_LOGINS }),
    done: (gone) => keepWritten(registry, record, gone),
    async undo() {
      // A session that names it is not saved: what stays expires.
      await repeatUntilDone(() => end(registry, login, 'unused')).first;
    },
  };
}

function prepareNext(registry: Registry, before: Login, method: Method | undefined) {
  const prepared = toPrepared(registry, toNext(registry, before, method));
  const done = (gone: readonly string[]): void => {
    tellEnded(registry, before.userId, [before.loginId], 'renewed');
    void prepared.done(gone);
  };
  return { ...prepared, done, replaces: registry.logins.toReference(before) };
}

/** Of a logout and a renewal at the same moment one wins: the other one finds no login. */
async function replace(
  registry: Registry,
  { userId, loginId }: LoginReference,
  method: Method,
): Promise<LoginReference | null> {
  const { logins, checked } = registry;
  const before = await logins.find(userId, loginId);
  if (before === null) return null;
  const after = toNext(registry, before, method);
  try {
    if (!(await logins.swap(before, after))) return null;
  } finally {
    checked.forget(loginId);
  }

  tellEnded(registry, userId, [loginId], 'renewed');
  keepWritten(registry, after, []);
  return toReference(after);
}

/** Returns the login that takes the place of another one, with the same beginning. */
function toNext(
  { now, lifeMs, randomId }: Registry,
  before: Login,
  method: Method | undefined,
): Login {
  const at = now();
  const times = { lastSeenAt: at, expiresAt: at + lifeMs };
  return { ...before, ...times, loginId: randomId(), method: method ?? before.method };
}

/**
 * Notes that a written login is active, so that the next guard does not ask the store.
 * @param gone The ids of logins that went beyond the ceiling.
 */
function keepWritten(
  registry: Registry,
  { userId, loginId, lastSeenAt }: Login,
  gone: readonly string[],
): void {
  tellEnded(registry, userId, gone, 'too-many');
  registry.checked.keep(loginId, lastSeenAt);
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
 * Tells the app that logins have ended, which this process has just learned. Without it the app
 * would keep their sockets open.
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
