import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { idText } from '../login/users';
import type { MarkReader, MiddlewareContext } from './context';
import { checkOptions, currentUser, type OptionTypes, handleAsync } from './handler';
import { replyWithRedirect, replyWithRefusal, toSafePath } from './responses';
import type { VerifiedMark } from './session-data';
import type { SessionSlot } from './session-slot';

export function createMarkReader(
  slot: SessionSlot,
  getUserId: (user: Express.User) => unknown,
  now: () => number,
): MarkReader {
  function read(req: Request): VerifiedMark | undefined {
    const user = currentUser(req);
    const mark = slot.peek(req)?.verified;
    if (user === undefined || mark === undefined) return undefined;
    return mark.userId === idText(getUserId(user)) ? mark : undefined;
  }

  return {
    read,
    check: (req, maxAgeMs) => {
      const mark = read(req);
      if (mark === undefined) return 'second-factor-required';
      if (maxAgeMs === Infinity) return 'passed';
      const isFresh = mark.method !== 'trusted-device' && now() - mark.at <= maxAgeMs;
      return isFresh ? 'passed' : 'second-factor-too-old';
    },
  };
}

/** How old a second factor may be. */
export interface MaxAgeOptions {
  /** Seconds since the second factor was passed; a trusted device passes none. Left out: any age, and any way of passing. */
  readonly maxAgeSeconds?: number | undefined;
}

/** Options of `requireSecondFactor`. */
export interface GuardOptions extends MaxAgeOptions {
  /** Where to send the browser instead of answering 403; the page of a GET is kept for after the second factor. */
  readonly redirect?: string | undefined;
  /** Lets users in for whom `isRequiredFor` says, again now, that none is required. Default: false. */
  readonly allowNotRequired?: boolean | undefined;
}

/** The guards: a middleware and a boolean for the same question. */
export interface Guards {
  /** Lets requests pass whose user has passed the second factor, and not too long ago; the others are refused or redirected. */
  readonly requireSecondFactor: (options?: GuardOptions) => RequestHandler;
  /** The same question as a boolean. */
  readonly hasSecondFactor: (req: Request, options?: MaxAgeOptions) => boolean;
}

export function createGuards({ marks, slot, isRequiredFor }: MiddlewareContext): Guards {
  async function turnAway(
    req: Request,
    res: Response,
    options: GuardOptions,
    reason: Refused,
  ): Promise<boolean> {
    const { pending } = slot.read(req);
    if (options.allowNotRequired === true && (await isNotRequired(req))) return true;
    if (options.redirect === undefined) {
      replyWithRefusal(res, { reason });
      return false;
    }
    const path = req.method === 'GET' ? toSafePath(req.originalUrl) : null;
    await slot.update(req, pending?.otpId, (before) => ({
      ...before,
      notice: reason,
      ...(path !== null && { returnTo: path }),
    }));
    replyWithRedirect(res, options.redirect);
    return false;
  }

  async function isNotRequired(req: Request): Promise<boolean> {
    const user = currentUser(req);
    return user !== undefined && !(await isRequiredFor(user, req));
  }

  return {
    requireSecondFactor(options = {}) {
      checkOptions('requireSecondFactor', options, GUARD_TYPES);
      const maxAgeMs = toMaxAgeMs('requireSecondFactor', options);
      return function requireSecondFactor(req: Request, res: Response, next: NextFunction) {
        const check = marks.check(req, maxAgeMs);
        if (check === 'passed') return next();
        handleAsync(res, next, () => turnAway(req, res, options, check));
      };
    },
    hasSecondFactor(req, options) {
      if (options === undefined) return marks.check(req, Infinity) === 'passed';
      checkOptions('hasSecondFactor', options, MAX_AGE_TYPES);
      return marks.check(req, toMaxAgeMs('hasSecondFactor', options)) === 'passed';
    },
  };
}

type Refused = 'second-factor-required' | 'second-factor-too-old';

const MAX_AGE_TYPES: OptionTypes = { maxAgeSeconds: 'number' };
const GUARD_TYPES: OptionTypes = { ...MAX_AGE_TYPES, redirect: 'string', allowNotRequired: 'boolean' };

/** @throws {TypeError} when `maxAgeSeconds` is not above zero. */
function toMaxAgeMs(guard: string, { maxAgeSeconds }: MaxAgeOptions): number {
  if (maxAgeSeconds === undefined) return Infinity;
  // However far away: a limit that was given is not the same as none.
  if (maxAgeSeconds > 0) return Math.min(maxAgeSeconds * 1000, Number.MAX_VALUE);
  throw new TypeError(`${guard}: maxAgeSeconds must be above zero`);
}
