import type { Purpose } from '../stores/store';
import type { Method } from '../method';

/**
 * Returns whether other factors are accepted for a purpose. A transaction needs the message, which
 * shows what is approved. An enrollment needs it to prove the number.
 */
export function admitsOtherFactors(purpose: Purpose): purpose is 'login' | 'step-up' {
  return purpose === 'login' || purpose === 'step-up';
}

/** Returns whether a factor is one of those that are accepted. Undefined: all are. */
export function isAccepted(methods: readonly string[] | undefined, method: Method): boolean {
  return methods === undefined || methods.includes(method);
}
