import {
  finite,
  literal,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  safeInteger,
  safeParse,
  strictObject,
  string,
  type GenericSchema,
} from 'valibot';
import { parseJson } from '../../stores/records';
import type { Finding } from './finding';

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

const when = pipe(number(), finite(), minValue(0));
const text = nullable(string());
const schema = strictObject({
  version: literal(1),
  keyId: string(),
  state: picklist(['learning', 'comparable', 'hidden']),
  identity: text,
  network: text,
  operator: text,
  firstAt: when,
  lastAt: when,
  times: pipe(number(), safeInteger(), minValue(1)),
  change: nullable(strictObject({ what: picklist(['identity', 'network']), at: when })),
}) satisfies GenericSchema<SimNote>;

/** Reads a note: foreign data. Null for what this release did not write, or wrote under another key. */
export function parseSimNote(note: string | null, keyId: string): SimNote | null {
  const parsed = safeParse(schema, parseJson(note));
  // A note that cannot be read is no note: the number begins anew.
  return parsed.success && parsed.output.keyId === keyId ? parsed.output : null;
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
