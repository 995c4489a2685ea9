import type { CountryPrice, Currency, NetworkPrice, PriceList } from '../../client';
import { cleanText, type Command, type CommandCall, JSON_OPTION } from '../command';
import { GATEWAY_OPTIONS, withGateway } from '../gateway';

export const balance: Command = {
  name: 'balance',
  summary: "show the account's balance",
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  run: (call) =>
    withGateway(call, async (client) => {
      const found = await client.otp.balance();
      call.showResult(found, () => call.output.line(found.balance));
      return 0;
    }),
};

export const pricing: Command = {
  name: 'pricing',
  summary: 'show what a text message or a lookup costs',
  positionals: ['[filter]'],
  options: {
    lookup: { help: 'prices of lookups instead of text messages' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  notes: ['The filter is a part of a country, operator or code: pricing germany, pricing 26201.'],
  async run(call) {
    const service = call.args.isOn('lookup') ? 'lookup' : 'otp';
    // OTP spec §4, HLR spec §4, GET pricing.
    const { oddRows, ...prices } = await withGateway<PriceList<PriceEntry>>(call, (client) =>
      service === 'otp' ? client.otp.pricing() : client.hlr.pricing(),
    );
    if (oddRows > 0)
      call.output.note(`${oddRows} rows of the list are not as documented and were left out.`);

    const rows = filterRows(prices.pricing.map(toRow), call.args.positionals[0]);
    const list = { service, ...prices, pricing: rows.map((row) => row.entry) };
    call.showResult(list, () => showRows(call.output, rows, service, prices.currency));

    // 1 if no row matches, as with `grep`.
    return rows.length === 0 ? 1 : 0;
  },
};

function showRows(
  output: CommandCall['output'],
  rows: readonly PriceRow[],
  service: 'otp' | 'lookup',
  currency: Currency,
): void {
  const [detailHead, codesHead] =
    service === 'otp' ? ['Operator', 'MCC MNC'] : ['Dial code', 'ISO'];
  const heads = ['Country', detailHead, codesHead, `Price ${currency.symbol ?? ''}`.trim()];
  const cells = rows.map((row) => [row.country, row.detail, row.codes, row.price]);
  const [head, ...lines] = formatTable([heads, ...cells]);
  if (rows.length === 0) output.note('No row matches.');
  else for (const line of [output.style('dim', head ?? ''), ...lines]) output.line(line);
}

/** Returns the lines of a table. The last column is right-aligned. */
function formatTable(rows: readonly (readonly (string | null)[])[]): string[] {
  // Count characters and not UTF-16 units: at most 40.
  const shorten = (cell: string | null): string =>
    cleanText(cell ?? '')
      .trim()
      .replace(/^(.{39}).{2,}$/u, '$1…');

  const table = rows.map((row) => row.map((cell) => Array.from(shorten(cell))));
  const widths =
    table[0]?.map((_cell, index) => Math.max(...table.map((row) => row[index]?.length ?? 0))) ?? [];

  const format = (cell: readonly string[], index: number): string => {
    const [text, space] = [cell.join(''), ' '.repeat((widths[index] ?? 0) - cell.length)];
    return index === widths.length - 1 ? space + text : text + space;
  };
  return table.map((row) => row.map(format).join('  ').trimEnd());
}

type PriceEntry = NetworkPrice | CountryPrice;

/** A row of either list. */
interface PriceRow {
  readonly country: string | null;
  /** The operator, or the dialing code. */
  readonly detail: string | null;
  readonly codes: string;
  readonly price: string;
  /** The row as the client returns it. */
  readonly entry: PriceEntry;
}

function toRow(entry: PriceEntry): PriceRow {
  const { countryName: country, price } = entry;
  if ('mcc' in entry) {
    const codes = `${entry.mcc} ${entry.mnc}`;
    return { country, detail: entry.operatorName, codes, price, entry };
  }
  return { country, detail: entry.countryCode, codes: entry.countryIso ?? '', price, entry };
}

/** Returns the rows that contain a string, ignoring case. */
function filterRows(rows: readonly PriceRow[], text: string | undefined): readonly PriceRow[] {
  if (text === undefined) return rows;
  const wanted = text.toLowerCase();
  return rows.filter((row) =>
    [row.country, row.detail, row.codes, row.codes.replace(' ', '')].some((cell) =>
      cell?.toLowerCase().includes(wanted),
    ),
  );
}
