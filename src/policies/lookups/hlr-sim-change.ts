import { custom, optional, picklist } from 'valibot';
import { parseOptions, strictOptions } from '../../client/option-rules';
import type { NoteStore } from '../../stores/store';
import { compareSim } from './compare-sim';
import { numberLookups, sharedLookups, type NumberLookups } from './number-lookups';
import { observeSim } from './observe-sim';
import type { SimChangeProvider } from './sim-change-provider';
import { createSimKeys } from './sim-identity';

/** What `hlrSimChange` is made of. Unknown members are errors. */
export interface HlrSimChangeOptions {
  /** A secret of 32 bytes or more: identities are kept as keyed digests only. With another key all numbers begin anew. */
  readonly key: string | Buffer;
  /**
   * A number that went to another operator, where no identity can be compared: a weak sign, since numbers are ported.
   * `record`: told; `deny`: counts as a change; `ignore`: no lookup is paid for it. Default: `record`.
   */
  readonly onNetworkChange?: 'ignore' | 'record' | 'deny' | undefined;
  /** Lookups shared with other policies. Default: its own. */
  readonly lookups?: NumberLookups | undefined;
}

/** The built-in provider, with the way to forget a number. */
export interface HlrSimChange extends SimChangeProvider {
  /**
   * Forgets what is kept of a number: when its account is deleted, or when its user has shown in another way that a change
   * was theirs. The next right code begins anew.
   * @param notes `notes` of the store that was handed to `createSmsOtp`.
   * @param mobile E.164 with plus.
   */
  forget(notes: NoteStore, mobile: string): Promise<void>;
}

const schema = strictOptions({
  key: custom<string | Buffer>(isKey, 'must be a secret of 32 bytes or more'),
  onNetworkChange: optional(
    picklist(['ignore', 'record', 'deny'], "must be 'ignore', 'record' or 'deny'"),
    'record',
  ),
  lookups: optional(sharedLookups()),
});

function isKey(value: unknown): boolean {
  return (typeof value === 'string' || Buffer.isBuffer(value)) && Buffer.byteLength(value) >= 32;
}

/**
 * Reports when the subscriber identity that the gateway returns for a number differs from the one seen when the number
 * was last verified. Many networks hide this value; absence of a report is not evidence that no SIM swap happened. It
 * does not know when a swap happened: a change counts from when it was first seen.
 *
 * Before a text it looks up where there is something to compare; after a right code at most every 12 h, until three equal
 * identities over 24 h make a number comparable. Kept for 400 days: a keyed digest, the network, times.
 * @throws {TypeError} that names the option.
 * @see HLR spec §2, imsi
 */
export function hlrSimChange(options: HlrSimChangeOptions): HlrSimChange {
  const checked = parseOptions('hlrSimChange', schema, options);
  const { key, onNetworkChange, lookups = numberLookups() } = checked;
  const keys = createSimKeys(key);
  const desk = { keys, onNetworkChange, lookups };
  lookups.keepIdentity(keys.toIdentity);
  return {
    needsNotes: true,
    check: (context, question) => compareSim(desk, context, question),
    verified: (context, question) => observeSim(desk, context, question),
    forget: (notes, mobile) => notes.remove(keys.toNoteKey(mobile)),
  };
}
