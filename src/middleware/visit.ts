import type { Request } from 'express';
import type { Visit } from '../core/visit';
import type { MiddlewareContext } from './context';
import { toDeviceLabel } from './device-label';
import { currentUser, readField, toCookies } from './handler';
import { readAddress } from './setup-checks';

/**
 * Reads the facts of a request that the decisions need.
 * @throws {UsageError} without a session.
 */
export function readVisit(context: MiddlewareContext, req: Request): Visit {
  const { slot, warn } = context;
  let required: Promise<boolean> | undefined;

  return {
    request: req,
    address: readAddress(req, warn),
    currentUser: currentUser(req),
    pending: slot.read(req).pending,
    readLogin: () => slot.peek(req)?.login,
    readLabel: () => toDeviceLabel(req.headers['user-agent']),
    cookies: toCookies(req),
    readField: (name) => readField(req, name),
    readSender: () => ({
      sessionId: slot.findBroughtId(req),
      userAgent: req.headers['user-agent'],
      languages: req.headers['accept-language'],
    }),
    toSeries: () => slot.toSeries(req),
    isRequired: (user) => (required ??= context.isRequiredFor(user, req)),
    getLocale: (user) => context.getLocale(user, req),
    endOtherSessions: (userId) => context.endOtherSessions(userId, req),
    getPreferredFactor: (user) => context.getPreferredFactor(user, req),
  };
}
