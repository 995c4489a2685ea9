import { DAY_SECONDS } from '../limits/failures';
import type { Method } from '../login/outcome';
import { toUserIdText } from '../login/users';
import type { Login, LoginStore, UserId } from '../stores/store';

/** The option `logins`. */
export interface LoginsOption {
  /**
   * Seconds for which a process takes a login for live without asking the store again: 0 to 300. What ends in another
   * process is known after that time at the latest; with 0 every guarded request asks the store. Default: 30.
   */
  readonly checkEverySeconds?: number | undefined;
  /** Days that a login lives after it was last seen: 1 to 365. Default: 30. */
  readonly maxAgeDays?: number | undefined;
}

/** What a session keeps of its login. */
export interface LoginReference {
  readonly userId: string;
  readonly loginId: string;
}

/** A login as its user's page may show it. Times are milliseconds since 1970. */
export interface ListedLogin {
  readonly loginId: string;
  /** The browser and system, such as `Firefox, Windows`; may be empty. */
  readonly label: string;
  /** How the second factor was passed; null when none was required. */
  readonly method: Method | null;
  readonly startedAt: number;
  /** Written once an hour. */
  readonly lastSeenAt: number;
}

/** The records of logins, and what this process knows of them. A failure of the store is a `StoreError`. */
export interface LoginRegistry {
  /** Whether this process has found the login live within `checkEverySeconds`. Allocates nothing. */
  readonly isChecked: (loginId: string) => boolean;
  /** Returns whether the login is live, and asks the store unless it is checked. */
  readonly isLive: (login: LoginReference) => Promise<boolean>;
  /** Asks the store now. */
  readonly isStillLive: (login: LoginReference) => Promise<boolean>;
  readonly begin: (login: BegunLogin) => Promise<LoginReference>;
  /**
   * Ends a login and begins another in its place, with the same beginning. Null: it had ended before, and none begins.
   * @param method Undefined: it stays.
   */
  readonly replace: (login: LoginReference, method: Method | undefined) => Promise<LoginReference | null>;
  /** Ends a login; returns whether it was live. */
  readonly end: (login: LoginReference) => Promise<boolean>;
  /** Ends all logins of a user but one; returns how many there were. */
  readonly endAll: (userId: string, except?: string) => Promise<number>;
  /** Returns the user's logins, the newest first. */
  readonly list: (id: UserId) => Promise<readonly ListedLogin[]>;
  /** Ends a login of this user; returns whether it was live. */
  readonly revoke: (id: UserId, loginId: string) => Promise<boolean>;
}

interface BegunLogin {
  readonly userId: string;
  readonly method: Method | null;
  readonly label: string;
}

/** Beyond this the user's oldest login ends. */
const MOST_LOGINS = 100;

/** Answers that a process keeps. */
const MOST_ANSWERS = 10_000;

const SEEN_EVERY_SECONDS = 3_600;

interface RegistryParts {
  readonly store: LoginStore;
  readonly checkEverySeconds: number;
  readonly maxAgeDays: number;
  readonly now: () => number;
  readonly randomId: () => string;
}

/** A question to the store that is under way. */
interface Asked {
  readonly answer: Promise<boolean>;
  /** Whether the login has ended in the meantime: then the answer is not kept. */
  isOutdated: boolean;
}

export function createLoginRegistry(parts: RegistryParts): LoginRegistry {
  const { store, now, randomId } = parts;
  const everyMs = parts.checkEverySeconds * 1000;
  const ttlSeconds = parts.maxAgeDays * DAY_SECONDS;
  /** When logins were found live, the longest ago first. */
  const checkedAt = new Map<string, number>();
  const asked = new Map<string, Asked>();

  return {
    isChecked,
    isLive: (login) => (isChecked(login.loginId) ? Promise.resolve(true) : askOnce(login)),
    isStillLive: ask,
    begin: (login) => begin({ ...login, startedAt: now() }),
    async replace(login, method) {
      const before = await store.find(login.loginId);
      // True for exactly one caller: of a logout and a renewal at the same moment one wins.
      if (before?.userId !== login.userId || !(await end(login.loginId))) return null;
      return begin({ ...before, method: method ?? before.method });
    },
    end: ({ loginId }) => end(loginId),
    endAll,
    async list(id) {
      const { userId } = toUserIdText(id);
      return (await store.list(userId)).map(toListedLogin);
    },
    async revoke(id, loginId) {
      const { userId } = toUserIdText(id);
      const login = await store.find(loginId);
      return login?.userId === userId && (await end(loginId));
    },
  };

  function isChecked(loginId: string): boolean {
    const at = checkedAt.get(loginId);
    if (at === undefined) return false;
    const ageMs = now() - at;
    return ageMs >= 0 && ageMs < everyMs;
  }

  /** Requests that come while the store is asked share its answer, unless each one is to ask for itself. */
  function askOnce(login: LoginReference): Promise<boolean> {
    if (everyMs === 0) return ask(login);
    const { loginId } = login;
    const underWay = asked.get(loginId);
    if (underWay !== undefined) return underWay.answer;
    const question: Asked = { answer: ask(login, () => question.isOutdated), isOutdated: false };
    asked.set(loginId, question);
    const done = (): void => {
      if (asked.get(loginId) === question) asked.delete(loginId);
    };
    question.answer.then(done, done);
    return question.answer;
  }

  async function ask({ userId, loginId }: LoginReference, isOutdated = () => true): Promise<boolean> {
    const at = now();
    const login = await store.find(loginId, { at, everySeconds: SEEN_EVERY_SECONDS, ttlSeconds });
    const isLive = login?.userId === userId;
    if (!isLive) forget(loginId);
    else if (!isOutdated()) keep(loginId, at);
    return isLive;
  }

  async function begin(
    login: Pick<Login, 'userId' | 'method' | 'label' | 'startedAt'>,
  ): Promise<LoginReference> {
    const { userId, method, label, startedAt } = login;
    const [loginId, lastSeenAt] = [randomId(), now()];
    const record: Login = { version: 1, loginId, userId, method, label, startedAt, lastSeenAt };
    const ended = await store.begin(record, ttlSeconds, MOST_LOGINS);
    ended.forEach(forget);
    keep(loginId, lastSeenAt);
    return { userId, loginId };
  }

  async function end(loginId: string): Promise<boolean> {
    try {
      // A store plugin may return anything: only true has ended it.
      return ((await store.end(loginId)) as unknown) === true;
    } finally {
      forget(loginId);
    }
  }

  async function endAll(userId: string, except?: string): Promise<number> {
    try {
      const ended = await store.endAll(userId, except);
      ended.forEach(forget);
      return ended.length;
    } catch (error) {
      // Which ones have ended is not known.
      [...checkedAt.keys(), ...asked.keys()].forEach(forget);
      throw error;
    }
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
