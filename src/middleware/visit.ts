import type { Request } from 'express';
import type { Visit } from '../core/visit';
import type { MiddlewareContext } from './context';
import { currentUser } from './handler';
import { readAddress } from './setup-checks';

/**
 * Reads the facts of a request that the decisions need.
 * @throws {UsageError} without a session.
 */
export function readVisit(context: MiddlewareContext, req: Request): Visit {
  const { slot, browsers, warn } = context;
  let required: Promise<boolean> | undefined;

  return {
    address: readAddress(req, warn),
    currentUser: currentUser(req),
    pending: slot.read(req).pending,
    browserCookie: browsers.readCookie(req),
    readSender: () => ({
      sessionId: slot.findBroughtId(req),
      userAgent: req.headers['user-agent'],
      languages: req.headers['accept-language'],
    }),
    toSeries: () => slot.toSeries(req),
    isRequired: (user) => (required ??= context.isRequiredFor(user, req)),
    getLocale: (user) => context.getLocale(user, req),
    getPreferredFactor: (user) => context.getPreferredFactor(user, req),
  };
}
