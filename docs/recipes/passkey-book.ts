/** A passkey as the server keeps it. No part of it is secret. */
export interface Passkey {
  /** The credential's id, base64url. */
  readonly id: string;
  /** The same random handle for all passkeys of a user: it says nothing about the user. */
  readonly userHandle: string;
  /** COSE. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Uses so far as the authenticator counts them; always 0 where it does not. */
  readonly counter: number;
  /** How browsers reach the authenticator. */
  readonly transports: readonly string[];
  /** The user's name for it. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Where the app keeps passkeys. */
export interface PasskeyBook {
  /** Oldest first. */
  list(userId: string): Promise<readonly Passkey[]>;
  /** Returns false and changes nothing if anyone has a passkey of this id. */
  add(userId: string, passkey: Passkey): Promise<boolean>;
  /** Returns false if the user has no such passkey. */
  rename(userId: string, id: string, name: string): Promise<boolean>;
  /** Returns false if the user has no such passkey. */
  remove(userId: string, id: string): Promise<boolean>;
  /**
   * Atomic: keeps the counter if it is above the kept one, or if both are 0, and returns whether it
   * did.
   */
  useCounter(userId: string, id: string, counter: number): Promise<boolean>;
}

/** For tests and one process. */
export function memoryPasskeyBook(): PasskeyBook {
  const owners = new Map<string, { readonly userId: string; readonly passkey: Passkey }>();

  function change(
    userId: string,
    id: string,
    changed: (passkey: Passkey) => Passkey | null,
  ): Promise<boolean> {
    const found = owners.get(id);
    const passkey = found?.userId === userId ? changed(found.passkey) : null;
    if (passkey !== null) owners.set(id, { userId, passkey });
    return Promise.resolve(passkey !== null);
  }

  return {
    list: (userId) =>
      Promise.resolve(
        [...owners.values()].filter((one) => one.userId === userId).map(({ passkey }) => passkey),
      ),
    add(userId, passkey) {
      const isNew = !owners.has(passkey.id);
      if (isNew) owners.set(passkey.id, { userId, passkey });
      return Promise.resolve(isNew);
    },
    rename: (userId, id, name) => change(userId, id, (passkey) => ({ ...passkey, name })),
    remove: (userId, id) => Promise.resolve(owners.get(id)?.userId === userId && owners.delete(id)),
    useCounter: (userId, id, counter) =>
      change(userId, id, (passkey) =>
        counter > passkey.counter || (counter === 0 && passkey.counter === 0)
          ? { ...passkey, counter }
          : null,
      ),
  };
}
