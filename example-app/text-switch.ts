import type { AuthenticatorApps } from './authenticator-app';
import type { PasskeyStore } from './passkeys';

export type TextSwitch = ReturnType<typeof createTextSwitch>;

/**
 * Returns which users get no login codes by text message: those who chose so, while they have a
 * better factor.
 */
export function createTextSwitch(passkeys: PasskeyStore, apps: AuthenticatorApps) {
  const hasBetter = async (userId: string): Promise<boolean> =>
    (await passkeys.hasAny(userId)) || (await apps.has(userId));
  return {
    hasBetter,
    isOff: async (userId: string): Promise<boolean> =>
      (await passkeys.wantsNoTexts(userId)) && (await hasBetter(userId)),
    turn: (userId: string, direction: 'off' | 'on') =>
      passkeys.switchTexts(userId, direction === 'off'),
    /** Call it after a factor was removed: a user who adds another one later chooses again. */
    async afterRemoval(userId: string): Promise<void> {
      if (!(await hasBetter(userId))) await passkeys.switchTexts(userId, false);
    },
  };
}
