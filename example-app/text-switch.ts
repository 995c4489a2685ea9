import type { AuthenticatorApps } from './authenticator-app';
import type { PasskeyStore } from './passkeys';

export type TextSwitch = ReturnType<typeof createTextSwitch>;

/** Who is texted no login codes: users who have said so, as long as they have something better. */
export function createTextSwitch(passkeys: PasskeyStore, apps: AuthenticatorApps) {
  const hasBetter = async (userId: string): Promise<boolean> =>
    (await passkeys.hasAny(userId)) || (await apps.has(userId));
  return {
    hasBetter,
    isOff: async (userId: string): Promise<boolean> =>
      (await passkeys.wantsNoTexts(userId)) && (await hasBetter(userId)),
    turn: (userId: string, direction: 'off' | 'on') =>
      passkeys.switchTexts(userId, direction === 'off'),
    /** After a factor was removed: a user who adds another one later chooses again. */
    async afterRemoval(userId: string): Promise<void> {
      if (!(await hasBetter(userId))) await passkeys.switchTexts(userId, false);
    },
  };
}
