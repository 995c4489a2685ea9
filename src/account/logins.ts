import { DAY_SECONDS } from '../limits/charge';
import type {
  BegunLogin,
  ListedLogin,
  LoginContext,
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

/** Answers that a process keeps. */
const MOST_ANSWERS = 10_000;

const SEEN_EVERY_MS = 3_600_000;

interface RegistryParts {
  readonly logins: RecordSet<Login>;
  readonly checkEverySeconds: number;
  readonly maxAgeDays: number;
  readonly now: () => number;
  readonly randomId: () => string;
  readonly emit: LoginContext['emit'];
}

/** A question to the store that is under way. */
interface Asked {
  readonly answer: Promise<boolean>;
  /** Whether the login has ended in the meantime: then the answer is not kept. */
  isOutdated: boolean;
}

export function createLoginRegistry(parts: RegistryParts): LoginRegistry {
  const { logins, now, randomId, emit } = parts;
  const everyMs = parts.checkEverySeconds * 1000;
  const lifeMs = parts.maxAgeDays * DAY_SECONDS * 1000;
  /** When logins were found live, the longest ago first. */
  const checkedAt = new Map<string, number>();
  const asked = new Map<string, Asked>();

  return {
    isChecked,
    isLive: (login) => (isChecked(login.loginId, now()) ? Promise.resolve(true) : askOnce(login)),
    findLive: ask,
    async begin(begun) {
      const login = toRecord(begun);
      const { gone } = await logins.put(login, { most: MOST_LOGINS });
      keepWritten(login, gone);
      return toReference(login);
    },
    prepare: (begun) => toPrepared(toRecord(begun)),
    prepareNext,
    replace,
    end,
    endAll,
    endListed,
    async list(id) {
      const { userId } = toUserIdText(id);
      const found = await logins.list(userId);
      const newestFirst = found.toSorted((one, other) => other.startedAt - one.startedAt);
      return newestFirst.map(toListedLogin);
    },
    revoke: (id, loginId) => end({ userId: toUserIdText(id).userId, loginId }, 'revoked'),
  };

  function isChecked(loginId: string, atMs: number): boolean {
    const seenMs = checkedAt.get(loginId);
    return seenMs !== undefined && atMs >= seenMs && atMs - seenMs < everyMs;
  }

  /**
   * Requests that come while the store is asked share its answer, unless each one is to ask for
   * itself.
   */
  function askOnce(login: LoginReference): Promise<boolean> {
    if (everyMs === 0) return isLiveNow(login);
    const { loginId } = login;
    const underWay = asked.get(loginId);
    if (underWay !== undefined) return underWay.answer;
    const answer = isLiveNow(login, () => question.isOutdated);
    const question: Asked = { answer, isOutdated: false };
    asked.set(loginId, question);
    const done = (): void => {
      if (asked.get(loginId) === question) asked.delete(loginId);
    };
    question.answer.then(done, done);
    return question.answer;
  }

  async function isLiveNow(...asked: Parameters<typeof ask>): Promise<boolean> {
    return (await ask(...asked)) !== null;
  }

  async function ask(
    { userId, loginId }: LoginReference,
    isOutdated = () => true,
  ): Promise<Login | null> {
    const at = now();
    const live = await see(userId, loginId, at);
    if (live === null) tell(userId, [loginId], 'found-ended');
    else if (!isOutdated()) keep(loginId, at);
    return live;
  }

  /** Returns the login while it is live, and writes now and then that it was seen. */
  async function see(userId: string, loginId: string, at: number): Promise<Login | null> {
    const login = await logins.find(userId, loginId);
    if (login === null || at - login.lastSeenAt < SEEN_EVERY_MS) return login;
    const seen: Login = { ...login, lastSeenAt: at, expiresAt: at + lifeMs };
    if (await logins.swap(login, seen)) return seen;
    // Another request has written it, or has ended the login.
    return logins.find(userId, loginId);
  }

  function toRecord({ userId, method, label }: BegunLogin): Login {
    const at = now();
    const times = { startedAt: at, lastSeenAt: at, expiresAt: at + lifeMs };
    return { version: 1, loginId: randomId(), userId, method, label, ...times };
  }

  function toPrepared(record: Login): PreparedLogin {
    const login = toReference(record);
    return {
      login,
      put: logins.toPut(record, { most: MOST_LOGINS }),
      done: (gone) => keepWritten(record, gone),
      async undo() {
        // A session that names it is not saved: what stays ends by itself.
        await repeatUntilDone(() => end(login, 'unused')).first;
      },
    };
  }

  function prepareNext(before: Login, method: Method | undefined) {
    const prepared = toPrepared(toNext(before, method));
    const done = (gone: readonly string[]): void => {
      tell(before.userId, [before.loginId], 'renewed');
      void prepared.done(gone);
    };
    return { ...prepared, done, replaces: logins.toReference(before) };
  }

  /** Of a logout and a renewal at the same moment one wins: the other one finds no login. */
  async function replace(
    { userId, loginId }: LoginReference,
    method: Method,
  ): Promise<LoginReference | null> {
    const before = await logins.find(userId, loginId);
    if (before === null) return null;
    const after = toNext(before, method);
    try {
      if (!(await logins.swap(before, after))) return null;
    } finally {
      forget(loginId);
    }
    tell(userId, [loginId], 'renewed');
    keepWritten(after, []);
    return toReference(after);
  }

  /** Returns the login that takes the place of another one, with the same beginning. */
  function toNext(before: Login, method: Method | undefined): Login {
    const at = now();
    const times = { lastSeenAt: at, expiresAt: at + lifeMs };
    return { ...before, ...times, loginId: randomId(), method: method ?? before.method };
  }

  /**
   * Takes a login that was written for live, so that the next guard need not ask the store.
   * @param gone The ids of logins that went beyond the ceiling.
   */
  function keepWritten({ userId, loginId, lastSeenAt }: Login, gone: readonly string[]): void {
    tell(userId, gone, 'too-many');
    keep(loginId, lastSeenAt);
  }

  async function end({ userId, loginId }: LoginReference, reason: LoginEnd): Promise<boolean> {
    try {
      const isEnded = await logins.remove(userId, loginId);
      if (isEnded) tell(userId, [loginId], reason);
      return isEnded;
    } finally {
      forget(loginId);
    }
  }

  async function endAll(userId: string, reason: LoginEnd, except?: string): Promise<number> {
    try {
      const ended = await logins.removeAll(userId, except);
      tell(userId, ended, reason);
      return ended.length;
    } catch (error) {
      // Which ones have ended is not known.
      [...checkedAt.keys(), ...asked.keys()].forEach(forget);
      throw error;
    }
  }

  async function endListed({ userId, loginId }: LoginReference, reason: LoginEnd): Promise<void> {
    const listed = await logins.list(userId);
    if (!listed.some((login) => login.loginId === loginId)) return;
    const others = listed.filter((login) => login.loginId !== loginId);
    for (const other of others) await end(toReference(other), reason);
  }

  /**
   * Tells the app that logins are over, which this process has just learned. Without it the app
   * would keep their sockets open.
   */
  function tell(userId: string, loginIds: readonly string[], reason: LoginEnd): void {
    if (loginIds.length === 0) return;
    loginIds.forEach(forget);
    emit({ type: 'login-ended', userId, loginIds, reason });
  }

  function keep(loginId: string, at: number): void {
    if (everyMs === 0) return;
    checkedAt.delete(loginId);
    const [oldest] = checkedAt.keys();
    if (checkedAt.size >= MOST_ANSWERS && oldest !== undefined) checkedAt.delete(oldest);
    checkedAt.set(loginId, at);
  }

  function forget(loginId: string): void {
    checkedAt.delete(loginId);
    const underWay = asked.get(loginId);
    if (underWay === undefined) return;
    underWay.isOutdated = true;
    asked.delete(loginId);
  }
}

function toListedLogin({ loginId, label, method, startedAt, lastSeenAt }: Login): ListedLogin {
  return { loginId, label, method, startedAt, lastSeenAt };
}

function toReference({ userId, loginId }: Login): LoginReference {
  return { userId, loginId };
}
