import { createTotpSecret, totpFactor } from 'passport-sms-otp/totp';
import { updateList, type UserLists } from './lists';

/**
 * The stored data of a user with an authenticator app, as JSON. An empty string: it was removed.
 */
interface Kept {
  readonly sealed: string;
  /** The step of the last accepted code. */
  readonly lastStep: number;
}

export type AuthenticatorApps = ReturnType<typeof createAuthenticatorApps>;

/**
 * Keeps the authenticator apps of the bank's users: one string per user, changed in one step.
 * @param secret The `secret` of `createSmsOtp`.
 */
export function createAuthenticatorApps(secret: string, lists: UserLists, now: () => number) {
  const toKept = (text: string | null): Kept | null => (text ? (JSON.parse(text) as Kept) : null); // written below
  const find = async (userId: string): Promise<Kept | null> => toKept(await lists.read(userId));

  const factor = totpFactor({
    secret,
    now,
    findSecret: async ({ id }) => (await find(id))?.sealed,
    acceptStep: ({ id }, step) =>
      updateList(lists, id, (before) => {
        const kept = toKept(before);
        return kept && step > kept.lastStep ? JSON.stringify({ ...kept, lastStep: step }) : null;
      }),
  });

  return {
    factor,
    has: async (userId: string): Promise<boolean> => (await find(userId)) !== null,
    /** Creates a secret for a user, or shows the one again that has not been confirmed yet. */
    create: ({ id, name }: Express.User, waiting: string | undefined) =>
      createTotpSecret({ secret, userId: id, issuer: 'Harbour', account: name, existing: waiting }),
    /**
     * Stores the unconfirmed secret if the code is right, and uses the code up. Returns whether it
     * was right.
     */
    async confirm(user: Express.User, waiting: string, code: string): Promise<boolean> {
      const trial = totpFactor({
        secret,
        now,
        findSecret: () => waiting,
        acceptStep: ({ id }, lastStep) =>
          updateList(lists, id, () => JSON.stringify({ sealed: waiting, lastStep })),
      });
      return trial.check({ user, userId: user.id, code, address: undefined });
    },
    remove: (userId: string) => updateList(lists, userId, () => ''),
  };
}
