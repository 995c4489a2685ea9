import type { Request } from 'express';
import type { Session } from 'express-session';
import { SessionError } from '../errors';
import {
  isIdFromClient,
  notRenewed,
  regenerate,
  reload,
  save,
  storeFailure,
  type LiveSession,
} from './live-session';
import { isGiven } from './run';
import { hide, saveOnce } from './save-once';
import type { SmsOtpSession } from './session-data';
import { isSlot } from './slot-shape';

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
