import type { Request, RequestHandler, Response } from 'express';
import { GatewayRejectedError } from 'passport-sms-otp';
import { type Account, input, type Kit, readField, toAccount, toUser } from './base-app';

declare module 'express-session' {
  interface SessionData {
    /** A login that waits for its code, as an app without the package keeps it. */
    waiting?: Waiting;
    /** Who has passed an app's own checks. */
    memberId?: string;
    notice?: string;
  }
}

/** A code that is out. */
interface Waiting {
  readonly otpId: string;
  readonly userId: string;
  guesses: number;
}

/** What is right in a second factor that is made by hand; each can be left out. */
export interface HandMade {
  readonly renewsAtPassword?: boolean;
  readonly renewsAtCode?: boolean;
  readonly countsGuesses?: boolean;
  readonly limitsTexts?: boolean;
  /** Which codes a session may enter. Default: that of its own login. */
  readonly codesOf?: (req: Request, out: readonly Waiting[]) => readonly Waiting[];
  /** Codes of the gateway's refusals that count as "right". */
  readonly rightCodes?: readonly number[];
}

/** What an app has not whose second factor is made by hand. */
export const LACKS_BY_HAND = [
  'resend',
  'cancel',
  'stepUp',
  'passwordReset',
  'otherWaysIn',
  'rememberMe',
  'logInAs',
  'trustedDevice',
  'newNumber',
  'userWithoutNumber',
] as const;

/** Puts a guard of the app's own in front of its pages. */
export function guardWith({ routes }: Kit, guard: RequestHandler): void {
  for (const name of ['GET /account', 'GET /settings', 'POST /transfer'])
    routes.set(name, [guard, ...(routes.get(name) ?? []).slice(1)]);
}

/** Whoever Passport has logged in, as guards were before there was a second factor. */
export const isLoggedIn: RequestHandler = (req, res, next) => {
  if (req.isAuthenticated()) next();
  else res.redirect(303, '/login');
};

/** The number of a user. */
export function phoneOf({ book }: Kit, userId: string): string {
  return book.list(userId)[0]?.mobile ?? '';
}

/** Keeps a session, or gives it another id with the same content. */
function renew(req: Request, isRenewed: boolean, then: () => void): void {
  const { waiting, memberId } = req.session;
  if (!isRenewed) return then();
  req.session.regenerate(() => {
    Object.assign(req.session, { waiting, memberId });
    then();
  });
}

/**
 * A second factor that an app has made itself, with the client alone: it keeps the OTP id in the
 * session, counts guesses there, and marks the session.
 */
export function addHandMade(kit: Kit, made: HandMade = {}): void {
  const { routes, accounts, page, form } = kit;
  const out: Waiting[] = [];
  const lastTexts = new Map<string, number>();

  async function text(userId: string): Promise<string> {
    const { id } = await kit.client.otp.generate({ mobile: phoneOf(kit, userId) });
    lastTexts.set(userId, Date.now());
    return id;
  }
  const isTooSoon = (userId: string): boolean =>
    made.limitsTexts !== false && lastTexts.has(userId);

  const begin = async (req: Request, res: Response): Promise<void> => {
    const { id: userId } = toAccount(req.user);
    if (isTooSoon(userId)) return res.redirect(303, '/login');
    const waiting = { otpId: await text(userId), userId, guesses: 0 };
    out.push(waiting);
    renew(req, made.renewsAtPassword !== false, () => {
      delete req.session.memberId;
      req.session.waiting = waiting;
      res.redirect(303, '/login/pin');
    });
  };
  const enter = async (req: Request, res: Response): Promise<void> => {
    const own = req.session.waiting;
    const codes = made.codesOf?.(req, out) ?? (own === undefined ? [] : [own]);
    for (const waiting of codes) {
      waiting.guesses += 1;
      if (made.countsGuesses !== false && waiting.guesses > 5) continue;
      if (!(await isRight(kit, made, waiting, readField(req, 'pin')))) continue;
      return renew(req, made.renewsAtCode !== false, () => {
        delete req.session.waiting;
        req.session.memberId = own?.userId ?? waiting.userId;
        res.redirect(303, '/account');
      });
    }
    req.session.notice = 'That code is not correct.';
    res.redirect(303, '/login/pin');
  };

  const [checkPassword] = routes.get('POST /login') ?? [];
  if (checkPassword === undefined) throw new Error('the base app checks no password');
  routes.set('POST /login', [checkPassword, begin]);
  routes.set('POST /login/pin', [enter]);
  routes.set('GET /login/pin', [
    (req, res) => {
      const { notice = '' } = req.session;
      delete req.session.notice;
      res.send(page(req, notice, form(req, '/login/pin', input('pin'))));
    },
  ]);
  guardWith(kit, (req, res, next) => {
    const account: Account | undefined = accounts.get(req.session.memberId ?? '');
    if (account === undefined) return res.redirect(303, '/login');
    req.user = toUser(account);
    next();
  });
}

async function isRight(
  { client, book }: Kit,
  { rightCodes = [] }: HandMade,
  { otpId, userId }: Waiting,
  pin: string,
): Promise<boolean> {
  if (!/^\d{4,10}$/.test(pin)) return false;
  const mobile = book.list(userId)[0]?.mobile ?? '';
  try {
    await client.otp.validate({ id: otpId, mobile, pin });
    return true;
  } catch (error) {
    return error instanceof GatewayRejectedError && rightCodes.includes(error.gatewayCode ?? 0);
  }
}
