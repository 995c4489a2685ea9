import type { Passkey, PasskeyBook } from '../docs/recipes/passkey-book';
import { updateList, type UserLists } from './lists';

/** The stored data of one user, as JSON. */
interface Kept {
  readonly passkeys: readonly KeptPasskey[];
  /** Whether the user has turned off login codes by text message. */
  readonly isTextOff: boolean;
  /** When a passkey was last offered, in milliseconds since 1970. */
  readonly offeredAt: number;
  /** The time of the code after which it was offered. 0: the offer was dismissed. */
  readonly offeredAfter: number;
}

type KeptPasskey = Omit<Passkey, 'publicKey'> & { readonly publicKey: string };

const OFFER_EVERY_MS = 7 * 86_400_000;

export type PasskeyStore = ReturnType<typeof createPasskeyStore>;

/**
 * Keeps the passkeys of the bank's users and related settings: one string per user, changed in one
 * step.
 */
export function createPasskeyStore(lists: UserLists) {
  const toKept = (text: string | null): Kept =>
    text === null
      ? { passkeys: [], isTextOff: false, offeredAt: 0, offeredAfter: 0 }
      : (JSON.parse(text) as Kept); // written below
  const read = async (userId: string): Promise<Kept> => toKept(await lists.read(userId));
  const update = (userId: string, change: (kept: Kept) => Partial<Kept> | null): Promise<boolean> =>
    updateList(lists, userId, (before) => {
      const kept = toKept(before);
      const next = change(kept);
      return next && JSON.stringify({ ...kept, ...next });
    });
  /** Changes one passkey. If `change` returns null, it stays unchanged and the result is false. */
  const updateOne = (
    userId: string,
    id: string,
    change: (one: KeptPasskey) => KeptPasskey | null,
  ) =>
    update(userId, ({ passkeys }) => {
      const found = passkeys.find((one) => one.id === id);
      const changed = found ? change(found) : null;
      return changed && { passkeys: passkeys.map((one) => (one === found ? changed : one)) };
    });

  const book: PasskeyBook = {
    list: async (userId) => (await read(userId)).passkeys.map(toPasskey),
    // A database would refuse an id that another user has. Here it does no harm: logins look only
    // at the user's own passkeys.
    add: (userId, { publicKey, ...rest }) =>
      update(userId, ({ passkeys }) =>
        passkeys.some(({ id }) => id === rest.id)
          ? null
          : {
              passkeys: [
                ...passkeys,
                { ...rest, publicKey: Buffer.from(publicKey).toString('base64url') },
              ],
            },
      ),
    rename: (userId, id, name) => updateOne(userId, id, (one) => ({ ...one, name })),
    remove: (userId, id) =>
      update(userId, ({ passkeys }) => {
        const rest = passkeys.filter((one) => one.id !== id);
        return rest.length === passkeys.length ? null : { passkeys: rest };
      }),
    useCounter: (userId, id, counter) =>
      updateOne(userId, id, (one) =>
        counter > one.counter || (counter === 0 && one.counter === 0) ? { ...one, counter } : null,
      ),
  };

  return {
    book,
    hasAny: async (userId: string): Promise<boolean> => (await read(userId)).passkeys.length > 0,
    /** Returns whether the user has turned off login codes by text message. */
    wantsNoTexts: async (userId: string): Promise<boolean> => (await read(userId)).isTextOff,
    switchTexts: (userId: string, isTextOff: boolean) => update(userId, () => ({ isTextOff })),
    /** Returns whether to offer a passkey after this code: once a week, to users who have none. */
    async isOffered(userId: string, codeAt: number, nowMs: number): Promise<boolean> {
      const { passkeys, offeredAfter } = await read(userId);
      if (passkeys.length > 0) return false;
      if (offeredAfter === codeAt) return true;
      return update(userId, ({ offeredAt }) =>
        nowMs - offeredAt < OFFER_EVERY_MS ? null : { offeredAt: nowMs, offeredAfter: codeAt },
      );
    },
    dismissOffer: (userId: string) => update(userId, () => ({ offeredAfter: 0 })),
  };
}

function toPasskey({ publicKey, ...rest }: KeptPasskey): Passkey {
  return { ...rest, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')) };
}
