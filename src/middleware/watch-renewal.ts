import type { Session } from 'express-session';

/** Set on a session that this package is about to renew. Shared by all instances. */
const IS_OURS = Symbol('renewed by passport-sms-otp');

/** Says that the next renewal of a session is one of this package. */
export function expectRenewal(session: Session): void {
  hide(session, IS_OURS, true);
}

/** Calls `onRenewal` before anything but this package renews a session. */
export function watchRenewal(session: Session, onRenewal: () => void): void {
  const original = session.regenerate.bind(session);
  hide(session, 'regenerate', (callback: (error?: unknown) => void): Session => {
    if (!Object.hasOwn(session, IS_OURS)) onRenewal();
    return original(callback);
  });
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
