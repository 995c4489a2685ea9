import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Lookup } from '../../protocol/hlr';
import { parseJson } from '../../stores/check-values';
import type { Counter, CounterStore } from '../../stores/store';
import type { Finding } from '../number-check/decision-table';

/** What is made of numbers and subscriber identities with one key. Nothing else leaves this file. */
export interface SimKeys {
  /** Names the key in what is stored: another key's digests cannot be compared. */
  readonly keyId: string;
  /** The key of the note of a number. */
  readonly toNoteKey: (mobile: string) => string;
  /**
   * A digest of number and identity; null when the identity is missing, masked or odd. The number is part of it, so that
   * one SIM under two numbers does not link them.
   */
  readonly toIdentity: (mobile: string, lookup: Lookup) => string | null;
}

/** The form of what is digested. */
const VERSION = 1;

export function createSimKeys(key: string | Buffer): SimKeys {
  const hmac = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return {
    keyId: hmac('key id').slice(0, 8),
    toNoteKey: (mobile) => `sim-swap:${hmac(`note ${mobile}`).slice(0, 22)}`,
    toIdentity: (mobile, lookup) => {
      const imsi = readImsi(lookup);
      return imsi === null ? null : hmac(`${VERSION} ${mobile} ${imsi}`);
    },
  };
}

/**
 * An identity that can be one: 14 or 15 digits that begin with the network's country code and say something after the
 * network. "0", country and network alone, and a tail of zeros are what networks give that hide it. HLR spec §2.
 * Not shown in HLR spec §2: how an identity is masked.
 */
function readImsi({ imsi, mcc }: Lookup): string | null {
  if (imsi === null || mcc === null || !/^[0-9]{14,15}$/.test(imsi)) return null;
  const isMasked = /^0+$/.test(imsi.slice(6)) || !imsi.startsWith(mcc) || mcc.length !== 3;
  return isMasked ? null : imsi;
}

/** So many numbers must have changed, and as many as were stable: a few people do change their SIM. */
const LEAST = 3;

/**
 * Takes note of one number of a network that was found stable, or not: so networks that show no lasting identity are
 * learned. Nothing is counted of the number itself.
 * @param network "262-01"; null when unknown.
 */
export async function learnNetwork(
  counters: CounterStore,
  network: string | null,
  isStable: boolean,
): Promise<void> {
  if (network !== null) await counters.charge([toCounter(network, isStable)]);
}

/** True when the network has been learned to show no lasting identity. */
export async function isHidingNetwork(counters: CounterStore, network: string | null): Promise<boolean> {
  if (network === null) return false;
  const asked = [false, true].map((isStable) => ({ ...toCounter(network, isStable), isOnlyRead: true }));
  const [unstable, stable] = (await counters.charge(asked)).counts;
  const changed = unstable?.count ?? 0;
  return changed >= LEAST && changed >= (stable?.count ?? 0);
}

function toCounter(network: string, isStable: boolean): Counter {
  return { key: `sim-swap:${isStable ? 'stable' : 'unstable'}:${network}`, windowSeconds: null };
}

/** What is remembered of a number between logins. Times are milliseconds since 1970. */
export interface SimNote {
  readonly version: 1;
  readonly keyId: string;
  /** `learning`: not yet seen often enough to be compared. `hidden`: the network shows no lasting identity. */
  readonly state: 'learning' | 'comparable' | 'hidden';
  /** A keyed digest; null when none was shown. */
  readonly identity: string | null;
  /** "262-01", and the operator's name in a form to compare by; null when unknown. */
  readonly network: string | null;
  readonly operator: string | null;
  /** The first and the last time it was seen so, and how often, each after a right code. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly times: number;
  /** Something else that was seen since, and when first. */
  readonly change: { readonly what: 'identity' | 'network'; readonly at: number } | null;
}

/** Three equal observations over a day make a number comparable: some networks make identities up, anew or for a while. */
const TIMES = 3;
const SPREAD_MS = 86_400_000;

const when = z.number().min(0);
const text = z.string().nullable();
const schema = z.strictObject({
  version: z.literal(1),
  keyId: z.string(),
  state: z.enum(['learning', 'comparable', 'hidden']),
  identity: text,
  network: text,
  operator: text,
  firstAt: when,
  lastAt: when,
  times: z.int().min(1),
  change: z.strictObject({ what: z.enum(['identity', 'network']), at: when }).nullable(),
}) satisfies z.ZodType<SimNote>;

/** Reads a note: foreign data. Null for what this release did not write, or wrote under another key. */
export function parseSimNote(note: string | null, keyId: string): SimNote | null {
  const parsed = schema.safeParse(parseJson(note));
  // A note that cannot be read is no note: the number begins anew.
  return parsed.success && parsed.data.keyId === keyId ? parsed.data : null;
}

/** The beginning, after a right code. */
export function beginSimNote(keyId: string, finding: Finding, isHiding: boolean): SimNote {
  const { at } = finding;
  const identity = isHiding ? null : finding.identity;
  return {
    ...{ version: 1, keyId, identity, state: identity === null ? 'hidden' : 'learning' },
    ...describeNetwork(finding),
    ...{ firstAt: at, lastAt: at, times: 1, change: null },
  };
}

/**
 * The note after another right code. While learning, another identity or none says that the network hides it. Of a
 * comparable number it says nothing yet: the next comparison will.
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

/** True when the operator is another one: several networks may be one operator's. What is missing is no change. */
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

/** The network as it stands in notes and counters. */
export function describeNetwork({ network, operator }: Finding): Pick<SimNote, 'network' | 'operator'> {
  return {
    network: network === undefined ? null : `${network.mcc}-${network.mnc}`,
    operator: operator ?? null,
  };
}
