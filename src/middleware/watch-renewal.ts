import type { Session } from 'express-session';
import type { Warn } from '../errors';

/** Set on a session that this package is about to renew. All instances share it. */
const IS_OURS = Symbol('renewed by passport-sms-otp');

/** Marks the next renewal of a session as one of this package. */
export function expectRenewal(session: Session): void {
  hide(session, IS_OURS, true);
}

/** Calls `onRenewal` before any other code than this package renews a session. */
export function watchRenewal(session: Session, onRenewal: () => void): void {
  const original = session.regenerate.bind(session);
  hide(session, 'regenerate', (callback: (error?: unknown) => void): Session => {
    if (!Object.hasOwn(session, IS_OURS)) onRenewal();
    return original(callback);
  });
}

/**
 * Warns of a session with a login that the app renews. After a logout the record of the login would
 * stay; otherwise guards would lose the login.
 */
export function warnOfRenewal(isLogout: boolean, warn: Warn): void {
  if (isLogout) {
    warn(
      'SMS_OTP_SESSION_REGENERATED',
      'The app has logged a user out by req.logout() or req.session.regenerate(). The record of ' +
        'the login stays, so a request that saves the session late brings the login back. Write ' +
        'smsOtp.logout()',
      'logout',
    );
    return;
  }
  warn(
    'SMS_OTP_SESSION_REGENERATED',
    'The app has renewed the session of a login by req.logIn() or req.session.regenerate(), so ' +
      'guards no longer find the login in it. smsOtp.verify() has logged the user in and renewed ' +
      'the session: call neither of them after it',
    'login',
  );
}

/** Defines an own property that loops, merges and JSON skip. */
export function hide(target: object, name: string | symbol, value: unknown): void {
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: false,
    writable: true,
    value,
  });
}
