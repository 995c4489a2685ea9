import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Lookup } from '../../protocol/hlr';
import { parseJson } from '../../stores/check-values';
import type { Counter, CounterStore } from '../../stores/store';
import type { Finding } from '../number-check/decision-table';

const time = z.number().min(0);

/** What is remembered about a number between logins. Times are milliseconds since 1970. */
const schema = z.strictObject({
  version: z.literal(1),
  keyId: z.string(),
  /** `learning`: not seen often enough to be compared. `hidden`: the network reveals no lasting identity. */
  state: z.enum(['learning', 'comparable', 'hidden']),
  /** A keyed digest; null when no identity was revealed. */
  identity: z.string().nullable(),
  /** "262-01", and the normalized name of the operator; null when unknown. */
  network: z.string().nullable(),
  operator: z.string().nullable(),
  /** The first and last time this identity was seen after a right code, and how many times. */
  firstAt: time,
  lastAt: time,
  times: z.int().min(1),
  /** What has been seen to differ since, and when first. */
  change: z.strictObject({ what: z.enum(['identity', 'network']), at: time }).nullable(),
});

export type SimNote = Readonly<z.output<typeof schema>>;

/** Reads a stored note. Returns null for a note that is missing, malformed or made with another key: the number then begins anew. */
export function parseSimNote(note: string | null, keyId: string): SimNote | null {
  const { data } = schema.safeParse(parseJson(note));
  return data?.keyId === keyId ? data : null;
}

/** A number becomes comparable after three equal observations over a day, because some networks make up temporary identities. */
const TIMES = 3;
const SPREAD_MS = 86_400_000;

/** Returns the first note of a number, after a right code. */
export function beginSimNote(keyId: string, finding: Finding, isWithoutImsi: boolean): SimNote {
  const { at } = finding;
  const identity = isWithoutImsi ? null : finding.identity;
  return {
    ...{ version: 1, keyId, identity, state: identity === null ? 'hidden' : 'learning' },
    ...describeNetwork(finding),
    ...{ firstAt: at, lastAt: at, times: 1, change: null },
  };
}

/**
 * Returns the note after another right code. A missing or different identity means, while learning, that the network hides
 * identities. It leaves the note of a comparable number as it is, for the next comparison to detect.
 */
export function continueSimNote(note: SimNote, finding: Finding): SimNote {
  const { identity, at } = finding;
  if (identity === null || identity !== note.identity) {
    return note.state === 'learning' ? beginSimNote(note.keyId, finding, true) : note;
  }
  const times = note.times + 1;
  const isStable = times >= TIMES && at - note.firstAt >= SPREAD_MS;
  return {
    ...note,
    ...describeNetwork(finding),
    ...{ times, lastAt: at, state: isStable ? 'comparable' : note.state },
  };
}

/** Returns true when the operator differs; one operator may have several networks. Missing data is not a change. */
export function isNetworkChanged(note: SimNote, finding: Finding): boolean {
  const { network, operator } = describeNetwork(finding);
  if (network === null || note.network === null || isSameNetwork(network, note.network)) return false;
  return operator === null || operator !== note.operator;
}

/** Within one country "1" and "01" are the same network. */
function isSameNetwork(one: string, other: string): boolean {
  const [mcc, mnc] = one.split('-');
  const [otherMcc, otherMnc] = other.split('-');
  return mcc === otherMcc && Number(mnc) === Number(otherMnc);
}

/** Returns the network in the form of notes and counters. */
export function describeNetwork({ network, operator }: Finding): Pick<SimNote, 'network' | 'operator'> {
  return {
    network: network === undefined ? null : `${network.mcc}-${network.mnc}`,
    operator: operator ?? null,
  };
}

/** What is derived from numbers and subscriber identities with one key. Nothing else leaves this file. */
export type SimKeys = Readonly<ReturnType<typeof createSimKeys>>;

/** The version of the digested format. */
const VERSION = 1;

export function createSimKeys(key: string | Buffer) {
  const hmac = (value: string): string => createHmac('sha256', key).update(value).digest('base64url');
  return {
    /** Identifies the key in notes: digests made with another key cannot be compared. */
    keyId: hmac('key id').slice(0, 8),
    /** Returns the store key of a number's note. */
    toNoteKey: (mobile: string): string => `sim-swap:${hmac(`note ${mobile}`).slice(0, 22)}`,
    /**
     * Returns a digest of number and identity; null when the identity is missing, masked or malformed. The number is part
     * of it, so that the digests of one SIM under two numbers do not match.
     */
    toIdentity: (mobile: string, lookup: Lookup): string | null => {
      const imsi = readImsi(lookup);
      return imsi === null ? null : hmac(`${VERSION} ${mobile} ${imsi}`);
    },
  };
}

/**
 * Returns an identity that can be real: 14 or 15 digits that begin with the country code of the network and do not end in
 * zeros only. Networks that hide it return "0", country and network alone, or a tail of zeros. HLR spec §2.
 * Not shown in HLR spec §2: how an identity is masked.
 */
function readImsi({ imsi, mcc }: Lookup): string | null {
  if (imsi === null || mcc === null || !/^[0-9]{14,15}$/.test(imsi)) return null;
  const isMasked = /^0+$/.test(imsi.slice(6)) || !imsi.startsWith(mcc) || mcc.length !== 3;
  return isMasked ? null : imsi;
}

/** Changed numbers that mark a network, if no more were stable. More than one, because a few people do change their SIM. */
const MIN_CHANGED = 3;

/**
 * Counts one number of a network as stable or not, to find the networks that reveal no lasting identity. The number itself
 * is not part of the counter.
 * @param network "262-01"; null when unknown.
 */
export async function countNetwork(
  counters: CounterStore,
  network: string | null,
  isStable: boolean,
): Promise<void> {
  if (network !== null) await counters.charge([toCounter(network, isStable)]);
}

/** Returns true when the network was found to reveal no lasting identity. */
export async function isNetworkWithoutImsi(counters: CounterStore, network: string | null): Promise<boolean> {
  if (network === null) return false;
  const asked = [false, true].map((isStable) => ({ ...toCounter(network, isStable), isOnlyRead: true }));
  const [unstable, stable] = (await counters.charge(asked)).counts;
  const changed = unstable?.count ?? 0;
  return changed >= MIN_CHANGED && changed >= (stable?.count ?? 0);
}

function toCounter(network: string, isStable: boolean): Counter {
  return { key: `sim-swap:${isStable ? 'stable' : 'unstable'}:${network}`, windowSeconds: null };
}
