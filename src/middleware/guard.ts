import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { idText, type VerifiedMark } from '../login/users';
import type { MarkCheck, MarkReader, MiddlewareContext } from './context';
import { currentUser, handleAsync, loadOptions } from './handler';
import type { GuardOptions, MaxAgeOptions } from './options';
import { replyWithRedirect, replyWithRefusal, toNotice, toSafePath } from './responses';
import type { SessionSlot } from './session-slot';
import { updateSlot } from './update-slot';

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

/** The guards: a middleware and a boolean for the same question. */
export interface Guards {
  /** Lets requests pass whose user has passed the second factor, recently enough; refuses or redirects all others. */
  readonly requireSecondFactor: (options?: GuardOptions) => RequestHandler;
  /** Returns whether `requireSecondFactor` would let the request pass. */
  readonly hasSecondFactor: (req: Request, options?: MaxAgeOptions) => boolean;
}

export function createGuards(context: MiddlewareContext): Guards {
  const { marks, slot, isRequiredFor, now } = context;
  const { readOptions } = loadOptions();

  return {
    requireSecondFactor(given = {}) {
      const options = readOptions('requireSecondFactor', given);
      const maxAgeMs = toMaxAgeMs(options);
      return function requireSecondFactor(req: Request, res: Response, next: NextFunction) {
        const check = marks.check(req, maxAgeMs);
        if (check === 'passed') return next();
        handleAsync(res, next, () => refuse(req, res, options, check));
      };
    },
    hasSecondFactor(req, options) {
      if (options === undefined) return marks.check(req, Infinity) === 'passed';
      return marks.check(req, toMaxAgeMs(readOptions('hasSecondFactor', options))) === 'passed';
    },
  };

  async function refuse(
    req: Request,
    res: Response,
    options: GuardOptions,
    reason: Exclude<MarkCheck, 'passed'>,
  ): Promise<boolean> {
    const { pending } = slot.read(req);
    if (options.allowNotRequired === true && (await isNotRequired(req))) return true;
    if (options.redirect === undefined) {
      replyWithRefusal(res, { reason });
      return false;
    }
    const path = req.method === 'GET' ? toSafePath(req.originalUrl) : null;
    await updateSlot(
      context,
      req,
      (current) => current.pending?.otpId === pending?.otpId,
      (current) => ({
        ...current,
        ...toNotice({ reason }, now()),
        ...(path !== null && { returnTo: path }),
      }),
    );
    replyWithRedirect(res, options.redirect);
    return false;
  }

  async function isNotRequired(req: Request): Promise<boolean> {
    const user = currentUser(req);
    return user !== undefined && !(await isRequiredFor(user, req));
  }
}

/** However large: a limit that was given is not the same as none. */
function toMaxAgeMs({ maxAgeSeconds }: MaxAgeOptions): number {
  return maxAgeSeconds === undefined ? Infinity : Math.min(maxAgeSeconds * 1000, Number.MAX_VALUE);
}
