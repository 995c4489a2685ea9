/**
 * Stores data of users, such as numbers: one string per user, which is replaced only if it has not
 * changed since it was read.
 */
export interface UserLists {
  read(userId: string): Promise<string | null>;
  /**
   * Returns false and changes nothing if the string is no longer `before`. Null means that there is
   * none yet.
   */
  swap(userId: string, before: string | null, after: string): Promise<boolean>;
}

export function memoryLists(): UserLists {
  const texts = new Map<string, string>();
  return {
    read: (userId) => Promise.resolve(texts.get(userId) ?? null),
    swap(userId, before, after) {
      const isAsRead = (texts.get(userId) ?? null) === before;
      if (isAsRead) texts.set(userId, after);
      return Promise.resolve(isAsRead);
    },
  };
}

/**
 * How often a change is tried. Of two concurrent changes one is tried again, so this many
 * concurrent changes succeed.
 */
const MOST_TRIES = 100;

/**
 * Replaces a user's string, unless `change` returns null. Returns whether the change was allowed.
 */
export async function updateList(
  lists: UserLists,
  userId: string,
  change: (before: string | null) => string | null,
): Promise<boolean> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const before = await lists.read(userId);
    const next = change(before);
    if (next === null) return false;
    if (await lists.swap(userId, before, next)) return true;
  }
  throw new Error('The data of a user changed too often to be updated');
}
