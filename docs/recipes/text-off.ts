import type { Policy } from 'passport-sms-otp';

/**
 * Texts no code for a login or a step-up to users who have switched that off. Transactions and new
 * numbers are texted all the same: their texts show what is approved, and prove the number.
 * @param isTextOff False for users who have nothing else: the factor may have been removed since.
 */
export function textOff(isTextOff: (user: Express.User) => Promise<boolean>): Policy {
  return {
    name: 'text-off',
    stage: 'send',
    async check({ user, purpose }) {
      const isForLogin = purpose === 'login' || purpose === 'step-up';
      return isForLogin && (await isTextOff(user)) ? { deny: 'denied' } : 'allow';
    },
  };
}
