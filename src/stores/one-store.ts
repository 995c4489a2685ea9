import type { SmsOtpStore } from './store';

/** The property of a part that names its store. A copy with other calls keeps it. */
const OWNER = Symbol('owner');

const PARTS = ['pendingLogins', 'counters', 'records', 'tokens', 'finish'] as const;

type Part = (typeof PARTS)[number];

/** Marks the parts of a store and its `finish` as belonging together. */
export function markParts<Store extends SmsOtpStore>(store: Store): Store {
  const owner = Symbol('a store');
  for (const part of PARTS) Reflect.set(readPart(store, part), OWNER, owner);
  return store;
}

/**
 * Returns the names of two parts that belong to different stores, because `finish` would change
 * only one of them. Null if there are none. Parts without a mark are not compared: only the stores
 * of this package mark theirs.
 */
export function findForeignPart(store: SmsOtpStore): readonly [Part, Part] | null {
  const [first, ...others] = PARTS.filter((part) => readOwner(store, part) !== null);
  if (first === undefined) return null;

  const owner = readOwner(store, first);
  const foreign = others.find((part) => readOwner(store, part) !== owner);
  return foreign === undefined ? null : [foreign, first];
}

/**
 * Returns the mark of a part. A part of another library may be anything, for instance a `Proxy`
 * that answers every name.
 */
function readOwner(store: SmsOtpStore, part: Part): symbol | null {
  const owner: unknown = Reflect.get(readPart(store, part), OWNER);
  return typeof owner === 'symbol' ? owner : null;
}

function readPart(store: SmsOtpStore, part: Part): object {
  return Object(Reflect.get(store, part)) as object;
}
