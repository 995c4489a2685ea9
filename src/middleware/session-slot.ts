import type { Request } from 'express';
import type { Session, SessionData } from 'express-session';
import { SessionError } from '../errors';
import { isGiven } from './handler';
import { isSlot, type SmsOtpSession } from './session-data';

/** What goes along into a renewed session besides the slot. `all`: everything the app keeps there. */
export type KeptKeys = readonly string[] | 'all';

const EMPTY: SmsOtpSession = { version: 1 };

/** The slot of this library in a session. The only file that touches `req.session`. */
export class SessionSlot {
  private hasSeenSession = false;

  constructor(
    private readonly sessionKey: string,
    private readonly keepSessionKeys: readonly string[],
    private readonly passportKey = 'passport',
  ) {}

  /** The slot, or undefined when there is none or it is not as this version writes it. Allocates nothing. */
  peek(req: Request): SmsOtpSession | undefined {
    const session = findSession(req);
    if (session === undefined) return undefined;
    this.hasSeenSession = true;
    const slot = session[this.sessionKey];
    return isSlot(slot) ? slot : undefined;
  }

  /** The slot, empty when there is none. @throws {SessionError} when there is no session that can be renewed. */
  read(req: Request): SmsOtpSession {
    this.requireSession(req);
    return this.peek(req) ?? EMPTY;
  }

  /** The page `connect-ensure-login` and others keep for after the login. */
  readReturnTo(req: Request): unknown {
    return this.requireSession(req).returnTo;
  }

  /** Puts the slot into this session, to be saved at the end of the response. */
  put(req: Request, slot: SmsOtpSession): void {
    this.requireSession(req)[this.sessionKey] = slot;
  }

  /** Puts the slot into this session and saves it now. */
  async write(req: Request, slot: SmsOtpSession): Promise<void> {
    this.put(req, slot);
    await save(this.requireSession(req));
  }

  /**
   * Changes the slot after reading the session again, and only while it still waits for the code that was judged: a
   * slow answer must not bring an old id back. A session that has ended meanwhile is not written.
   */
  async update(
    req: Request,
    judgedOtpId: string | undefined,
    change: (slot: SmsOtpSession) => SmsOtpSession,
  ): Promise<boolean> {
    if (!(await this.isStillThere(req))) return false;
    const slot = this.read(req);
    if (slot.pending?.otpId !== judgedOtpId) return false;
    await this.write(req, change(slot));
    return true;
  }

  /**
   * Reads the session again after a code was spent. False when it has ended meanwhile, or waits for another code. One
   * that waits for none may go on: the slower half of a double click has taken the code off.
   */
  async mayFinish(req: Request, spentOtpId: string | undefined): Promise<boolean> {
    if (!(await this.isStillThere(req))) return false;
    const { pending } = this.read(req);
    return pending === undefined || pending.otpId === spentOtpId;
  }

  /** Reads the session again; false when it has ended meanwhile. */
  private async isStillThere(req: Request): Promise<boolean> {
    return !isIdFromClient(req) || (await reload(this.requireSession(req)));
  }

  /** Takes back a login that the first factor has made in this very request: it ran without `session: false`. */
  async undoLogIn(req: Request): Promise<void> {
    const session = this.requireSession(req);
    if (session[this.passportKey] === undefined || isIdFromClient(req)) return;
    session[this.passportKey] = undefined;
    await save(session);
  }

  /**
   * Starts a fresh session that holds nothing but the slot and the kept keys; whoever was logged in is logged out.
   * The id of a request without any Cookie header was made for this request: it counts as renewed.
   */
  async renew(req: Request, slot: SmsOtpSession): Promise<void> {
    const session = this.requireSession(req);
    if (req.headers.cookie === undefined && session[this.passportKey] === undefined) {
      await this.write(req, slot);
      return;
    }
    this.carryThroughRenewal(req, slot);
    await this.renewPrepared(req);
  }

  /** Renews the session the way `carryThroughRenewal` has prepared it. */
  async renewPrepared(req: Request): Promise<void> {
    await regenerate(this.requireSession(req));
    await save(this.requireSession(req));
  }

  /**
   * Prepares the next renewal of this session, whoever asks for it: Passport's `logIn` calls `regenerate` itself.
   * The slot is written into the session that comes out of it, never into the one that was there before.
   */
  carryThroughRenewal(req: Request, slot: SmsOtpSession, keep: KeptKeys = this.keepSessionKeys): void {
    const old = this.requireSession(req);
    const original = old.regenerate.bind(old);
    const regenerateWithSlot = (callback: (error?: unknown) => void): Session => {
      const oldId = req.sessionID;
      return original((error: unknown) => {
        if (isGiven(error)) return callback(storeFailure('renewed', error));
        const renewed = findSession(req);
        if (renewed === undefined || renewed === old || req.sessionID === oldId)
          return callback(notRenewed());
        for (const [key, value] of Object.entries(old)) {
          // With everything else goes the cookie: its life is the app's choice, too.
          if (keep === 'all' || keep.includes(key)) renewed[key] = value;
        }
        renewed[this.sessionKey] = slot;
        // keepSessionInfo merges the old session over the new one once this returns.
        old[this.sessionKey] = slot;
        saveOnce(renewed);
        callback();
      });
    };
    hide(old, 'regenerate', regenerateWithSlot);
  }

  private requireSession(req: Request): LiveSession {
    const session = findSession(req);
    if (session === undefined) throw this.noSession();
    if (
      typeof session.regenerate !== 'function' ||
      typeof session.save !== 'function' ||
      typeof req.sessionID !== 'string'
    ) {
      throw notRenewed();
    }
    this.hasSeenSession = true;
    return session;
  }

  /** express-session goes on without a session while its store is disconnected; the first time nobody can tell. */
  private noSession(): SessionError {
    return this.hasSeenSession
      ? new SessionError(
          'ERR_SESSION_STORE',
          'The session is missing: the session store seems to be disconnected',
        )
      : new SessionError(
          'ERR_NO_SESSION',
          "req.session is missing. Put app.use(session({ … })) of 'express-session' before the routes of smsOtp",
        );
  }
}

/** Apps end a session by setting null, which its types do not tell; ours is the value under our key, whatever it may be. */
function findSession(req: Request): LiveSession | undefined {
  return (req.session as LiveSession | null | undefined) ?? undefined;
}

/** An express-session as we see it: the app's data under names we do not know. */
export type LiveSession = Session & Partial<SessionData> & Record<string, unknown>;

/** Saves the session now. @throws {SessionError} */
function save(session: LiveSession): Promise<void> {
  return new Promise((resolve, reject) => {
    session.save((error: unknown) => (isGiven(error) ? reject(storeFailure('saved', error)) : resolve()));
  });
}

/** Gives the request a fresh session with another id. @throws {SessionError} */
function regenerate(session: LiveSession): Promise<void> {
  return new Promise((resolve, reject) => {
    session.regenerate((error: unknown) => {
      if (isGiven(error)) reject(storeFailure('renewed', error));
      else resolve();
    });
  });
}

/** Reads the session again; false when it has ended. express-session tells that only by the text of its error. */
function reload(session: LiveSession): Promise<boolean> {
  return new Promise((resolve, reject) => {
    session.reload((error: unknown) => {
      if (!isGiven(error)) return resolve(true);
      const isGone = error instanceof Error && error.message === 'failed to load session';
      return isGone ? resolve(false) : reject(storeFailure('read', error));
    });
  });
}

/**
 * True when the client sent the id of this session; else the session was made for this request and is stored nowhere.
 * The cookie is decoded as express-session does it, so that no spelling of an old id looks like a new one.
 */
function isIdFromClient({ headers, sessionID }: Request): boolean {
  return (headers.cookie ?? '').split(';').some((cookie) => {
    const value = cookie.slice(cookie.indexOf('=') + 1);
    return decode(value).includes(sessionID);
  });
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // express-session, too, takes a value that cannot be decoded as it is.
    return value;
  }
}

/** Our own errors stay what they are. */
function storeFailure(what: string, cause: unknown): SessionError {
  if (cause instanceof SessionError) return cause;
  return new SessionError('ERR_SESSION_STORE', `The session could not be ${what}`, cause);
}

/** The error of a session that keeps its id, or has none. */
function notRenewed(): SessionError {
  return new SessionError(
    'ERR_SESSION_NOT_RENEWED',
    "The session's id cannot be renewed. Use 'express-session' with a store on the server; sessions kept in a cookie can be replayed",
  );
}

/** Gives an object an own property that no loop, merge or JSON sees. */
function hide(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { configurable: true, enumerable: false, writable: true, value });
}

/**
 * Keeps express-session from writing a renewed session twice: once when it is saved, and once more at the end of the
 * response although nothing has changed (expressjs/session 935). A second write would also undo what another request
 * has written in between. After a write that failed there is none at all: the answer said that nobody is in, and the
 * write at its end would let somebody in.
 */
function saveOnce(session: Session): void {
  const original = session.save.bind(session);
  let saved: string | undefined;
  let hasFailed = false;
  hide(session, 'save', (callback?: (error?: unknown) => void): Session => {
    const content = toContent(session);
    if (hasFailed || content === saved) {
      callback?.();
      return session;
    }
    return original((error: unknown) => {
      hasFailed = isGiven(error);
      if (hasFailed) return callback?.(storeFailure('saved', error));
      saved = content;
      callback?.();
    });
  });
}

/** Of the cookie its life counts, in seconds: the expiry moves with every look at the clock, the life with it by a little. */
function toContent(session: Session): string {
  const { originalMaxAge } = session.cookie;
  const lifeSeconds = originalMaxAge === null ? null : Math.round(originalMaxAge / 1000);
  return JSON.stringify([lifeSeconds, Object.entries(session).filter(([key]) => key !== 'cookie')]);
}
