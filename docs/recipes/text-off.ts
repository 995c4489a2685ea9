import type { Policy } from 'passport-sms-otp';

/**
 * Refuses messages for logins and step-ups to users who have switched them off. Transactions and
 * new numbers still get theirs: the message shows what is approved, or proves the number.
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
