import { listSenders } from './choose-address';
import type { Core } from './context';
import { countsAsAddress, findAddresses } from './phones';
import { idText, isUser, toUserIdText } from './users';

/**
 * Lists which factors a user is offered now, without those that fail, and says whether the user has
 * any factor.
 */
export interface UserFactors {
  readonly listFactors: ListFactors;
  /**
   * Returns whether the user can pass a second factor. A user whose last recovery code was spent
   * still counts, until an operator enables codes. Rejects if a callback or the store fails.
   */
  readonly canPassSecondFactor: (user: Express.User) => Promise<boolean>;
  readonly hasNoFactor: HasNoFactor;
  /** Returns whether the user can pass one of these factors now. */
  readonly hasOneOf: (user: Express.User, methods: readonly string[]) => Promise<boolean>;
}

/** Lists the factors, besides messages, that a user is offered now. */
export type ListFactors = (user: Express.User, userId: string) => Promise<readonly string[]>;

/**
 * Returns whether it is certain that a user has nothing with which to pass a second factor. Returns
 * false if a callback or the store fails, or if `load` returns no user or another one: a right must
 * not depend on a missing answer.
 */
export type HasNoFactor = (userId: string, load: () => unknown) => Promise<boolean>;

export function createUserFactors(core: Core): UserFactors {
  const { getUserId } = core;

  return {
    listFactors: (user, userId) => listFactors(core, user, userId),
    canPassSecondFactor: (user) => canPass(core, user),
    hasNoFactor: (userId, load) => hasNoFactor(core, userId, load),
    async hasOneOf(user, methods) {
      const listed = await listFactors(core, user, toUserIdText(getUserId(user)).userId);
      if (listed.some((factor) => methods.includes(factor))) return true;
      for (const sender of listSenders(core, 'step-up', methods))
        if (countsAsAddress(await findAddresses(sender, user))) return true;
      return false;
    },
  };
}

async function listFactors(
  { features }: Core,
  user: Express.User,
  userId: string,
): Promise<readonly string[]> {
  const listed: string[] = [];
  for (const feature of features) listed.push(...((await feature.offers?.(user, userId)) ?? []));
  return listed;
}

async function canPass({ features, getUserId }: Core, user: Express.User): Promise<boolean> {
  const { userId } = toUserIdText(getUserId(user));
  for (const feature of features) if ((await feature.has?.(user, userId)) === true) return true;
  return false;
}

async function hasNoFactor(core: Core, userId: string, load: () => unknown): Promise<boolean> {
  try {
    const user: unknown = await load();
    if (!isUser(user) || idText(core.getUserId(user)) !== userId) return false;
    return !(await canPass(core, user));
  } catch {
    core.warn(
      'SMS_OTP_FACTORS_UNKNOWN',
      'Whether a user can pass a second factor could not be found out, so the user counts as ' +
        'one who can: loadUser, getPhone, phoneBook.list, isAvailable or the store has failed',
    );
    return false;
  }
}
