import { createHmac } from 'node:crypto';
import type { Lookup } from '../../protocol/hlr';

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
    toNoteKey: (mobile) => `sim-change:${hmac(`note ${mobile}`).slice(0, 22)}`,
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
