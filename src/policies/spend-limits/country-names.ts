/** A country with its name and dialling code. */
export interface Region {
  readonly iso: string;
  readonly name: string;
  /** Without plus. */
  readonly dialCode: string;
}

/** Names that differ from the platform's by more than case, accents and punctuation. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  AE: ['UAE'],
  BA: ['Bosnia'],
  BN: ['Brunei Darussalam'],
  BO: ['Bolivia, Plurinational State of'],
  CD: ['Congo, Democratic Republic', 'Democratic Republic of the Congo', 'DR Congo'],
  CG: ['Congo', 'Republic of the Congo'],
  CI: ['Ivory Coast'],
  CV: ['Cabo Verde'],
  CZ: ['Czech Republic'],
  FM: ['Micronesia, Federated States of'],
  GB: ['UK', 'Great Britain'],
  HK: ['Hong Kong'],
  IR: ['Iran, Islamic Republic of'],
  KP: ['Korea, North', 'DPR Korea'],
  KR: ['Korea', 'Korea, South', 'Korea, Republic of', 'Republic of Korea'],
  LA: ["Lao People's Democratic Republic", 'Lao PDR'],
  MD: ['Moldova, Republic of'],
  MK: ['Macedonia'],
  MM: ['Myanmar', 'Burma'],
  MO: ['Macau', 'Macao'],
  PS: ['Palestine', 'Palestine, State of', 'Palestinian Territory'],
  RU: ['Russian Federation'],
  SY: ['Syrian Arab Republic'],
  SZ: ['Swaziland'],
  TL: ['East Timor'],
  TR: ['Turkey'],
  TW: ['Taiwan, Province of China'],
  TZ: ['Tanzania, United Republic of'],
  US: ['USA', 'United States of America'],
  VE: ['Venezuela, Bolivarian Republic of'],
  VN: ['Viet Nam'],
};

/** Returns all countries that have telephone numbers. Loads libphonenumber's metadata. */
export async function loadRegions(): Promise<readonly Region[]> {
  const { getCountries, getCountryCallingCode } = await import('libphonenumber-js/max');
  const names = new Intl.DisplayNames('en', { type: 'region' });
  return getCountries().map((iso) => ({
    iso,
    name: names.of(iso) ?? iso,
    dialCode: getCountryCallingCode(iso),
  }));
}

/** Returns a name without case, accents, punctuation and words that only some lists contain. */
export function normalizeName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return plain
    .split(' ')
    .filter((word) => word !== 'the' && word !== 'and')
    .map((word) => (word === 'st' ? 'saint' : word))
    .join(' ');
}

/** Maps normalized names to ISO codes. */
export function createNameTable(regions: readonly Region[]): Map<string, string> {
  const names = new Map(regions.map(({ iso, name }) => [normalizeName(name), iso]));
  for (const [iso, others] of Object.entries(OTHER_NAMES)) {
    for (const other of others) names.set(normalizeName(other), iso);
  }
  return names;
}
