import type { Lookup } from '../../protocol/hlr';

/** A network as the gateway names it. Both are strings: "01" and "001" are two networks. HLR spec §2. */
export interface Network {
  /** Three digits. */
  readonly mcc: string;
  /** Two or three digits. */
  readonly mnc: string;
}

/** A network with the operator's name in a form to compare by; null when the gateway gave none. */
export interface KnownNetwork extends Network {
  readonly operator: string | null;
}

/** The network of a lookup; undefined when it is missing or odd. */
export function readNetwork({ mcc, mnc }: Lookup): Network | undefined {
  if (mcc === null || mnc === null) return undefined;
  return /^[0-9]{3}$/.test(mcc) && /^[0-9]{2,3}$/.test(mnc) ? { mcc, mnc } : undefined;
}

/** The operator's name in a form to compare by: short, without case and doubled spaces. */
export function readOperator({ operator }: Lookup): string | undefined {
  const name = operator?.slice(0, 64).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
  return name === '' ? undefined : name;
}
