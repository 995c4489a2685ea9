import { createHash } from 'node:crypto';
import type { Request } from 'express';
import type { Session, SessionData } from 'express-session';
import { readFields, SessionError, type Warn } from '../errors';
import type { WrittenSuccess } from '../core/feature';
import { type CookieLife, giveLife, isSameLife, isSetSinceRead, readLife } from './cookie-life';
import { currentUser, isGiven } from './handler';
import { isSlot, type SmsOtpSession } from './session-data';
import {
  callStore,
  makeProbe,
  readStoredCookie,
  reload,
  saveOnce,
  toContent,
} from './session-calls';
import { noSession, notRenewed, storeFailure } from './session-errors';
import { settleOnce, type Settlement } from './settle-once';
import { expectRenewal, hide, warnOfRenewal, watchRenewal } from './watch-renewal';
import { isCrossSite } from './request-kind';

/** What a renewed session keeps besides the slot. `all`: everything that the app stores there. */
export type KeptKeys = readonly string[] | 'all';

const EMPTY: SmsOtpSession = { version: 1 };

/** The key under which Passport keeps the user. */
const PASSPORT_KEY = 'passport';

/** Reads and writes the slot of this library in a session. No other file touches `req.session`. */
export class SessionSlot {
  /** Whether the app has renewed the session of a login after `verify`, which loses the login. */
  hasLostLogin = false;
  private hasSeenSession = false;
  /** The sessions that warn when the app renews them. */
  private readonly watched = new WeakSet<Session>();
  /** What `noteCookieLife` has found; undefined: sessions get the life that is usual in the app. */
  private readonly lives = new WeakMap<Request, CookieLife | undefined>();
  /** The successes that the sessions of requests are to name. */
  private readonly successes = new WeakMap<Request, Settlement>();

  constructor(
    private readonly sessionKey: string,
    private readonly keepSessionKeys: readonly string[],
    /** The names of our own cookies, none of which is a session's. */
    private readonly ownCookies: readonly string[],
    private readonly warn: Warn,
  ) {}

  /**
   * Returns the slot; undefined if there is none, or if this version did not write it so. Allocates
   * nothing.
   */
  peek(req: Request): SmsOtpSession | undefined {
    const session = findSession(req);
    if (session === undefined) return undefined;
    this.hasSeenSession = true;
    const slot = session[this.sessionKey];
    return isSlot(slot) ? slot : undefined;
  }

  /**
   * Returns the slot, empty if there is none.
   * @throws {SessionError} if there is no session that can be renewed.
   */
  read(req: Request): SmsOtpSession {
    this.requireSession(req);
    this.watch(req);
    return this.peek(req) ?? EMPTY;
  }

  /** Warns when the app renews this session while it has a login. */
  watch(req: Request): void {
    const session = findSession(req);
    if (session === undefined || this.watched.has(session) || !this.hasLogin(session)) return;
    // `status` also reads sessions of other packages.
    if (typeof session.regenerate !== 'function') return;
    this.watched.add(session);
    watchRenewal(session, () => {
      if (!this.hasLogin(session)) return;
      const isLogout = currentUser(req) === undefined;
      this.hasLostLogin ||= !isLogout;
      warnOfRenewal(isLogout, this.warn);
    });
  }

  /**
   * Checks that the browser gets the session's cookie.
   * @throws {SessionError} if it does not, so that the login could not go on.
   */
  requireCookie(req: Request): void {
    this.requireSession(req);
    if (!this.losesCookie(req)) return;
    throw new SessionError(
      'ERR_SESSION_COOKIE',
      'The session cookie is secure and the request came over http, so the browser would not ' +
        "get it; nothing was sent. Behind a proxy that ends TLS: app.set('trust proxy', 1). " +
        "Without TLS: cookie: { secure: 'auto' }",
    );
  }

  /**
   * Returns whether the browser would not get the session's cookie, because the cookie is secure
   * and the request came over http.
   */
  losesCookie(req: Request): boolean {
    // Sessions of other packages have no cookie.
    const { cookie } = readFields(findSession(req));
    return readFields(cookie).secure === true && !req.secure;
  }

  /**
   * Returns whether browsers drop the session's cookie, because it is for other sites too but not
   * secure.
   */
  dropsCookie(req: Request): boolean {
    const { sameSite, secure } = readFields(readFields(findSession(req)).cookie);
    return typeof sameSite === 'string' && sameSite.toLowerCase() === 'none' && secure !== true;
  }

  /**
   * Makes another id for a request like this one.
   * @throws {SessionError} if it is the same id, so that the session could not be renewed after the
   * right code.
   */
  requireNewIds(req: Request): void {
    if (makeProbe(req)?.sessionID === req.sessionID) throw notRenewed();
  }

  /** Returns how long browsers keep the session's cookie. */
  readCookieLife(req: Request): CookieLife {
    return readLife(this.requireSession(req).cookie);
  }

  /**
   * Notes the life that the app has set for the cookie in this request, as a box "stay logged in"
   * does. The session that is renewed next gets it. A life from before this request may come from
   * an earlier user, or from an attacker who has planted the session.
   * @throws {SessionError} if the store fails.
   */
  async noteCookieLife(req: Request): Promise<void> {
    const { cookie } = this.requireSession(req);
    const usual = makeProbe(req)?.session.cookie;
    const mayBeSet = usual !== undefined && !isSameLife(readLife(cookie), readLife(usual));
    const isSet =
      mayBeSet && (!isIdFromClient(req) || isSetSinceRead(cookie, await readStoredCookie(req)));
    this.lives.set(req, isSet ? readLife(cookie) : undefined);
  }

  /**
   * Checks that Passport has read its user for this request.
   * @throws {SessionError} if the session has a Passport user and the request has none.
   */
  requireReadUser(req: Request): void {
    const kept = findSession(req)?.[PASSPORT_KEY] as { readonly user?: unknown } | undefined;
    if (kept?.user === undefined || (req.user ?? undefined) !== undefined) return;
    throw new SessionError(
      'ERR_NO_PASSPORT_SESSION',
      'The session has a user and req.user is missing. Put app.use(passport.session()) after ' +
        'app.use(session({ … }))',
    );
  }

  /** Returns the page that `connect-ensure-login` and others keep for after the login. */
  readReturnTo(req: Request): unknown {
    return this.requireSession(req).returnTo;
  }

  /**
   * Returns whether a refusal may leave something in this session. A request of another site that
   * came without the session's cookie proves nothing about the browser: the cookie of a new session
   * would replace that of the user's login.
   */
  mayKeep(req: Request): boolean {
    if (isIdFromClient(req) || !isCrossSite(req)) return true;
    const { sameSite } = this.requireSession(req).cookie;
    // Browsers send the cookie with links of other sites, unless it is strict.
    return req.method === 'GET' && sameSite !== 'strict' && sameSite !== true;
  }

  /**
   * Returns whether the client sent a session's cookie whose session has ended. It is not known
   * which cookie is the session's: any cookie but ours may be.
   */
  hasEnded(req: Request): boolean {
    return this.hasForeignCookie(req) && !isIdFromClient(req);
  }

  /**
   * Takes this request out of its session: express-session writes nothing at the end of the
   * response and sends no cookie, not even with `rolling` or `resave`. Call it when the session has
   * ended or has another id, because its old cookie must not replace the new one.
   */
  detach(req: Request): void {
    // Missing in the types: without an id, express-session leaves a session alone.
    (req as { sessionID: string | undefined }).sessionID = undefined;
  }

  /** Returns whether `detach` has taken this request out of its session. */
  isDetached(req: Request): boolean {
    return typeof req.sessionID !== 'string';
  }

  /** Returns the slot of a session that was read from its store. */
  of(session: Session): SmsOtpSession | undefined {
    const slot = (session as AppSession)[this.sessionKey];
    return isSlot(slot) ? slot : undefined;
  }

  /** Returns whether a session has the same Passport user as this request's session. */
  isSameUser(req: Request, session: Session): boolean {
    const own = findSession(req);
    return own !== undefined && findUser(session as AppSession) === findUser(own);
  }

  /** Takes Passport's user, the login and the mark out of a session. */
  takeOutUser(session: Session, left: Partial<SmsOtpSession>): void {
    // The types of a session know neither key.
    const changed = session as AppSession;
    const { user: _out, ...passport } = readFields(changed[PASSPORT_KEY]);
    // A step-up of this user can no longer be passed, so the session stops waiting for its code.
    const {
      login: _ended,
      verified: _passed,
      pending: _waited,
      ...rest
    } = this.of(session) ?? EMPTY;
    changed[PASSPORT_KEY] = passport;
    changed[this.sessionKey] = { ...rest, ...left };
  }

  /** Puts the slot into this session, which is saved at the end of the response. */
  put(req: Request, slot: SmsOtpSession): void {
    this.requireSession(req)[this.sessionKey] = slot;
  }

  /** Puts the slot into this session and saves it now. */
  async write(req: Request, slot: SmsOtpSession): Promise<void> {
    this.put(req, slot);
    await save(this.requireSession(req));
  }

  /**
   * Reads the session again and changes the slot, only if it is as expected: a slow request must
   * not restore an old id. A session that has ended meanwhile is not written. Returns what was
   * written, or null.
   */
  async update(
    req: Request,
    isStill: (slot: SmsOtpSession) => boolean,
    change: (slot: SmsOtpSession) => SmsOtpSession,
  ): Promise<SmsOtpSession | null> {
    if (!(await this.isStillThere(req))) return null;
    const slot = this.read(req);
    if (!isStill(slot)) return null;
    const changed = change(slot);
    await this.write(req, changed);
    return changed;
  }

  /**
   * Reads the session again after a code was consumed. Returns false if the session has ended
   * meanwhile, or waits for something else. A session that waits for nothing may go on: the other
   * request of a double click has removed what it waited for.
   */
  async mayFinish(req: Request, consumedPendingId: string | undefined): Promise<boolean> {
    if (!(await this.isStillThere(req))) return false;
    const { pending } = this.read(req);
    return pending === undefined || pending.pendingId === consumedPendingId;
  }

  /**
   * Returns the id of the session that the request brought. If Passport has renewed the session
   * since, or the cookie names none, it returns all cookies. Undefined: there are none.
   */
  findBroughtId(req: Request): string | undefined {
    return isIdFromClient(req) ? req.sessionID : req.headers.cookie;
  }

  /**
   * Names the series of pending logins of this session. All its requests return the same name, so
   * that the store knows the newest one, no matter which request writes the session last.
   */
  toSeries(req: Request): string {
    this.requireSession(req);
    return createHash('sha256')
      .update(JSON.stringify([this.sessionKey, req.sessionID]))
      .digest('base64url');
  }

  /**
   * Reverts a login that the first factor has made in this request, because it ran without
   * `session: false`.
   */
  async undoLogIn(req: Request): Promise<void> {
    const session = this.requireSession(req);
    if (session[PASSPORT_KEY] === undefined || isIdFromClient(req)) return;
    session[PASSPORT_KEY] = undefined;
    await save(session);
  }

  /**
   * Starts a fresh session that has only the slot and the kept keys; an earlier user is logged out.
   * If a request brought no cookies but ours, its session id is new and counts as renewed.
   */
  async renew(req: Request, slot: SmsOtpSession): Promise<void> {
    const session = this.requireSession(req);
    if (!this.hasForeignCookie(req) && session[PASSPORT_KEY] === undefined) {
      await this.write(req, slot);
      return;
    }
    this.carryThroughRenewal(req, slot);
    await this.renewPrepared(req);
  }

  /** Renews the session in the way that `carryThroughRenewal` has prepared. */
  async renewPrepared(req: Request): Promise<void> {
    await callStore('renewed', (done) => this.requireSession(req).regenerate(done));
    await save(this.requireSession(req));
  }

  /**
   * Prepares the next renewal of this session by any caller of `regenerate`, such as Passport's
   * `logIn`. The slot is written into the renewed session, never into the one before. If `send` has
   * noted no life of the cookie in this request, the session is the one that `send` began, and its
   * life is kept.
   * @param written The success that the slot names: done once the renewed session is saved, undone
   * if that fails, or if the response closes and nothing has renewed the session.
   */
  carryThroughRenewal(
    req: Request,
    slot: SmsOtpSession,
    keep: KeptKeys = this.keepSessionKeys,
    written?: WrittenSuccess,
  ): void {
    const old = this.requireSession(req);
    const life = this.lives.has(req) ? this.lives.get(req) : readLife(old.cookie);
    const success = written && settleOnce(written);
    if (success !== undefined) this.successes.set(req, success);
    let isRenewing = false;
    req.res?.once('close', () => {
      if (!isRenewing) void success?.undo();
    });
    expectRenewal(old);
    const original = old.regenerate.bind(old);
    const regenerateWithSlot = (callback: (error?: unknown) => void): Session => {
      const oldId = req.sessionID;
      isRenewing = true;
      return original((error: unknown) => {
        const fail = (failure: SessionError): void =>
          void Promise.resolve(success?.undo()).then(() => callback(failure));
        if (isGiven(error)) return fail(storeFailure('renewed', error));
        const renewed = findSession(req);
        if (renewed === undefined || renewed === old || req.sessionID === oldId)
          return fail(notRenewed());
        for (const [key, value] of Object.entries(old)) {
          // `all` includes the cookie: its life is the app's choice, too.
          if (keep === 'all' || keep.includes(key)) renewed[key] = value;
        }
        if (life !== undefined) giveLife(renewed.cookie, life);
        renewed[this.sessionKey] = slot;
        // `keepSessionInfo` merges the old session over the new one once this returns.
        old[this.sessionKey] = slot;
        saveOnce(renewed, { ...(success && { success: withUser(renewed, success) }) });
        this.watch(req);
        callback();
      });
    };
    hide(old, 'regenerate', regenerateWithSlot);
  }

  /** Undoes the success that the next renewal was to carry, unless its session was saved. */
  async undo(req: Request): Promise<void> {
    await this.successes.get(req)?.undo();
  }

  /**
   * Returns whether the request brought a cookie other than ours: the session's may have any name.
   */
  private hasForeignCookie({ headers: { cookie } }: Request): boolean {
    const isOwn = (pair: string): boolean =>
      this.ownCookies.includes(pair.split('=', 1)[0]?.trim() ?? '');
    return cookie !== undefined && !cookie.split(';').every(isOwn);
  }

  /** Takes the slot out of this session, which is to end. */
  remove(req: Request): void {
    const session = this.requireSession(req);
    if (session[this.sessionKey] !== undefined) session[this.sessionKey] = undefined;
  }

  /**
   * Reads the session again. Returns false if it has ended meanwhile, or its user is logged out.
   */
  async isStillThere(req: Request): Promise<boolean> {
    const before = this.requireSession(req);
    if (!isIdFromClient(req)) return true;
    if (!(await reload(before))) return false;
    const session = this.requireSession(req);
    // Do not let express-session write at the end of the response what was only read.
    saveOnce(session, { saved: toContent(session) });
    return before[PASSPORT_KEY] === undefined || findUser(session) === findUser(before);
  }

  private hasLogin(session: AppSession): boolean {
    const slot = session[this.sessionKey];
    return isSlot(slot) && slot.login !== undefined;
  }

  private requireSession(req: Request): AppSession {
    const session = findSession(req);
    if (session === undefined) throw noSession(this.hasSeenSession);
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
}

/** An express-session with the app's own keys. */
type AppSession = Session & Partial<SessionData> & Record<string, unknown>;

/**
 * Returns the session. Apps may set `req.session = null`, which its types omit. Values under our
 * key are untrusted.
 */
function findSession(req: Request): AppSession | undefined {
  return (req.session as AppSession | null | undefined) ?? undefined;
}

/** Returns the user whom Passport has put into a session, as a string. */
function findUser(session: AppSession): string {
  return JSON.stringify([session[PASSPORT_KEY]]);
}

/**
 * Returns a success that is undone if its session is saved without a user: Passport could not put
 * one in, and express-session saves the session at the end of the response.
 */
function withUser(session: AppSession, success: Settlement): Settlement {
  const hasUser = (): boolean => readFields(session[PASSPORT_KEY]).user !== undefined;
  return { ...success, done: () => (hasUser() ? success.done() : success.undo()) };
}

/**
 * Saves the session now.
 * @throws {SessionError} if the store fails.
 */
function save(session: AppSession): Promise<void> {
  return callStore('saved', (done) => session.save(done));
}

/**
 * Returns whether the client sent the id of this session. Otherwise the session was made for this
 * request and is not stored. The cookie is decoded as express-session does it, so that no other
 * spelling of an old id counts as a new one.
 */
function isIdFromClient(req: Request): boolean {
  return (req.headers.cookie ?? '').split(';').some((cookie) => {
    const value = cookie.slice(cookie.indexOf('=') + 1);
    return decode(value).includes(req.sessionID);
  });
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // Like express-session, use a value that cannot be decoded as it is.
    return value;
  }
}
