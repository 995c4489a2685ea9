import { normaliseName } from './country-names';
import type { MessageRow } from './price-rows';
import type { PriceTable } from './price-table';

/** The network of a number, as a lookup gives it. HLR spec §2. */
export interface Network {
  readonly mcc: string | null;
  readonly mnc: string | null;
  readonly operator?: string | null;
}

/**
 * How a price was found, the surest first: 1 the network's own row, 2 the same codes written otherwise, 3 the highest of
 * several such rows, 4 the highest of the operator's rows, 5 the highest of the mobile country code, 6 the highest of the
 * country or its dialling code, 7 not at all.
 */
export type PriceConfidence = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** What a message costs at worst, in millionths. */
export interface FoundPrice {
  readonly micros: number;
  readonly confidence: PriceConfidence;
}

/** The price on a network, or null when no row has its mobile country code. */
export function findNetworkPrice(
  { networksByMcc }: PriceTable,
  { mcc, mnc, operator }: Network,
): FoundPrice | null {
  const rows = networksByMcc.get(mcc ?? '') ?? [];
  const exact = rows.filter((row) => row.mnc === mnc);
  if (exact.length > 0) return { micros: highestOf(exact), confidence: agree(exact) ? 1 : 3 };
  // E.212 tells "001" from "01", but no country has given both to different networks.
  const alike = mnc === null || mnc === '' ? [] : rows.filter((row) => Number(row.mnc) === Number(mnc));
  if (alike.length > 0) return { micros: highestOf(alike), confidence: agree(alike) ? 2 : 3 };
  const name = operator == null ? null : normaliseName(operator);
  const ofOperator = rows.filter((row) => name !== null && row.operator === name);
  if (ofOperator.length > 0) return { micros: highestOf(ofOperator), confidence: 4 };
  return rows.length > 0 ? { micros: highestOf(rows), confidence: 5 } : null;
}

/**
 * The highest price in the number's country, which needs no lookup; null when the list does not know it.
 * @param country ISO code, null for a number without one.
 * @param mobile E.164 with plus.
 */
export function findCountryPrice(
  table: PriceTable,
  country: string | null,
  mobile: string,
): FoundPrice | null {
  const ofCountry = table.highestByCountry.get(country ?? '');
  const micros = ofCountry ?? findByDialCode(table, mobile.slice(1));
  return micros === undefined ? null : { micros, confidence: 6 };
}

/** Dialling codes of the list have at most seven digits; the longest that fits is the number's. */
function findByDialCode({ highestByDialCode }: PriceTable, digits: string): number | undefined {
  for (let length = 7; length > 0; length -= 1) {
    const micros = highestByDialCode.get(digits.slice(0, length));
    if (micros !== undefined) return micros;
  }
  return undefined;
}

function highestOf(rows: readonly MessageRow[]): number {
  return rows.reduce((highest, { micros }) => Math.max(highest, micros), 0);
}

function agree(rows: readonly MessageRow[]): boolean {
  return rows.every(({ micros }) => micros === rows[0]?.micros);
}
