import { DAY_SECONDS } from '../limits/charge';
import type { ListedLogin, LoginReference, LoginRegistry } from '../login/context';
import { toUserIdText } from '../login/users';
import type { Login, LoginStore } from '../stores/store';

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
    isLive: (login) => (isChecked(login.loginId, now()) ? Promise.resolve(true) : askOnce(login)),
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

  function isChecked(loginId: string, atMs: number): boolean {
    const seenMs = checkedAt.get(loginId);
    return seenMs !== undefined && atMs >= seenMs && atMs - seenMs < everyMs;
  }

  /**
   * Requests that come while the store is asked share its answer, unless each one is to ask for
   * itself.
   */
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

  async function ask(
    { userId, loginId }: LoginReference,
    isOutdated = () => true,
  ): Promise<boolean> {
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
