import {
  createPriceTable,
  loadRegions,
  type PriceTable,
} from '../../../src/policies/spend-limits/price-table';
import type { NetworkPrice, PriceList } from '../../../src/protocol/account';
import type { CountryPrice } from '../../../src/protocol/hlr';

const DOLLAR = { name: 'US Dollar', symbol: '$' };

/** A row as `208-01 0.0520 France Hexagone`: network, price, country, operator. */
export function networkRow(text: string): NetworkPrice {
  const [network = '', price = '', country = '', ...operator] = text.split(' ');
  const [mcc = '', mnc = ''] = network.split('-');
  const countryName = country === '' ? null : country.replaceAll('_', ' ');
  return { id: null, mcc, mnc, price, countryName, operatorName: operator.join(' ') || null };
}

/** A row as `+33 FR France`: dialling code, ISO code, country. */
export function countryRow(text: string): CountryPrice {
  const [countryCode = '', iso = '', country = ''] = text.split(' ');
  const countryName = country === '' ? null : country.replaceAll('_', ' ');
  return {
    id: null,
    countryCode,
    countryIso: iso === '-' ? null : iso,
    countryName,
    price: '0.0070',
  };
}

export function listOf<Row>(
  pricing: readonly Row[],
  changes: Partial<PriceList<Row>> = {},
): PriceList<Row> {
  return { currency: DOLLAR, pricing, oddRows: 0, ...changes };
}

/** Both lists joined. `countries` undefined: the account has no list of lookups. */
export async function join(
  networks: readonly string[],
  countries?: readonly string[],
): Promise<PriceTable> {
  const lookups = countries === undefined ? null : listOf(countries.map(countryRow));
  return createPriceTable(listOf(networks.map(networkRow)), lookups, await loadRegions());
}
