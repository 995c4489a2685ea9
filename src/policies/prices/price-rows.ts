import type { NetworkPrice, PriceList } from '../../protocol/account';
import type { CountryPrice } from '../../protocol/hlr';
import { normaliseName, type Region } from './country-names';
import { toMicros } from './micros';

/** A row of the price list of messages that can be used. */
export interface MessageRow {
  readonly mcc: string;
  readonly mnc: string;
  /** Normalised, so that the rows of one operator can be told. */
  readonly operator: string | null;
  /** Undefined when its country's name is not known. */
  readonly iso: string | undefined;
  readonly micros: number;
}

/** Every row with a price that can be counted. A negative one is none. */
export function readMessageRows(
  { pricing }: PriceList<NetworkPrice>,
  names: ReadonlyMap<string, string>,
): readonly MessageRow[] {
  return pricing.flatMap(({ mcc, mnc, operatorName, countryName, price }) => {
    const micros = toMicros(price);
    if (micros === null || micros < 0) return [];
    const operator = operatorName === null ? null : normaliseName(operatorName);
    const iso = countryName === null ? undefined : names.get(normaliseName(countryName));
    return [{ mcc, mnc, operator, iso, micros }];
  });
}

/** True when mobile country and network code look like what they are. Lists write "1" for "01". */
export function namesNetwork({ mcc, mnc }: MessageRow): boolean {
  return /^[0-9]{3}$/.test(mcc) && /^[0-9]{1,3}$/.test(mnc);
}

/** The countries that the price list of lookups names in full. HLR spec §2. */
export function readCountryRows(lookups: PriceList<CountryPrice> | null): readonly Region[] {
  return (lookups?.pricing ?? []).flatMap(({ countryIso, countryName, countryCode }) => {
    const iso = countryIso?.toUpperCase() ?? '';
    const [, dialCode = ''] = /^\+?([1-9][0-9]{0,6})$/.exec(countryCode) ?? [];
    if (!/^[A-Z]{2}$/.test(iso) || countryName === null || dialCode === '') return [];
    // The United Kingdom's code is often written as people say it.
    return [{ iso: iso === 'UK' ? 'GB' : iso, name: countryName, dialCode }];
  });
}
