import { z } from 'zod';
import type { CountryPrice, NetworkPrice, PriceList } from '../../client';
import { toMicros } from '../../policies/spend-limits/micros';
import { parseJson } from '../../stores/check-values';
import {
  cleanText,
  type Command,
  type CommandCall,
  type ExitCode,
  JSON_OPTION,
  readText,
} from '../command';
import { CommandFailure } from '../failures';
import { GATEWAY_OPTIONS, withGateway } from '../gateway';

export const balance: Command = {
  name: 'balance',
  summary: "show the account's balance",
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  run: (call) =>
    withGateway(call, async ({ otp }) => {
      const found = await otp.balance();
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
    since: { value: '<file>', help: 'show what has changed since a list that --json wrote' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  notes: ['The filter is a part of a country, operator or code: pricing germany, pricing 26201.'],
  async run(call) {
    const since = call.args.text('since');
    const saved =
      since === undefined ? null : readSavedPrices(await readText(call.io.folder, since));
    const service = call.args.isOn('lookup') ? 'lookup' : 'otp';
    if (saved !== null && saved.service !== service) {
      throw new CommandFailure(
        'The saved list is for the other service.',
        'Add or remove --lookup.',
      );
    }
    // OTP spec §4, HLR spec §4, GET pricing.
    const { oddRows, ...prices } = await withGateway<PriceList<PriceEntry>>(call, ({ otp, hlr }) =>
      service === 'otp' ? otp.pricing() : hlr.pricing(),
    );
    if (oddRows > 0)
      call.output.note(`${oddRows} rows of the list are not as documented and are left out.`);
    return show(call, { service, ...prices }, saved);
  },
};

/** Returns 1 when the filter matches nothing, as `grep` does. */
function show(call: CommandCall, list: SavedPrices, saved: SavedPrices | null): ExitCode {
  const filter = call.args.positionals[0];
  const rows = filterRows(toRows(list), filter);
  if (saved === null) {
    const pricing = rows.map(({ entry }) => entry);
    call.showResult({ ...list, pricing }, () => showRows(call, rows, list));
    return rows.length === 0 ? 1 : 0;
  }
  const changes = findChanges(filterRows(toRows(saved), filter), rows);
  const entries = changes.map(({ kind, before, row }) => ({ kind, before, ...row.entry }));
  call.showResult(entries, () => showChanges(call, changes));
  return 0;
}

function showRows(
  { output }: CommandCall,
  rows: readonly PriceRow[],
  { service, currency }: SavedPrices,
): void {
  const [detailHead, codesHead] =
    service === 'otp' ? ['Operator', 'MCC MNC'] : ['Dial code', 'ISO'];
  const heads = ['Country', detailHead, codesHead, `Price ${currency.symbol ?? ''}`.trim()];
  const cells = rows.map(({ country, detail, codes, price }) => [country, detail, codes, price]);
  const [head, ...lines] = formatTable([heads, ...cells], 1);
  if (rows.length === 0) output.note('No row matches.');
  else for (const line of [output.style('dim', head ?? ''), ...lines]) output.line(line);
}

function showChanges({ output }: CommandCall, changes: readonly PriceChange[]): void {
  const colors = { new: 'yellow', gone: 'yellow', dearer: 'red', cheaper: 'green' } as const;
  const lines = formatTable(
    changes.map(({ kind, row: { country, detail, codes, price }, before }) => [
      ...[kind, country, detail, codes],
      ...[before, kind === 'gone' ? null : price],
    ]),
    2,
  );
  if (changes.length === 0) output.note('Nothing has changed.');
  for (const [index, line] of lines.entries()) {
    const kind = changes[index]?.kind ?? 'new';
    output.line(output.style(colors[kind], kind) + line.slice(kind.length));
  }
}

/** Returns the lines of a table. @param amounts How many of the last columns are aligned right. */
function formatTable(rows: readonly (readonly (string | null)[])[], amounts: number): string[] {
  // At most 40 characters, which are not UTF-16 units.
  const shorten = (cell: string | null): string =>
    cleanText(cell ?? '')
      .trim()
      .replace(/^(.{39}).{2,}$/u, '$1…');
  const table = rows.map((row) => row.map((cell) => Array.from(shorten(cell))));
  const widths =
    table[0]?.map((_cell, index) => Math.max(...table.map((row) => row[index]?.length ?? 0))) ?? [];
  const format = (cell: readonly string[], index: number): string => {
    const [text, space] = [cell.join(''), ' '.repeat((widths[index] ?? 0) - cell.length)];
    return index >= widths.length - amounts ? space + text : text + space;
  };
  return table.map((row) => row.map(format).join('  ').trimEnd());
}

type PriceEntry = NetworkPrice | CountryPrice;

/** One row of either list. */
interface PriceRow {
  /** Identifies the row within its list. */
  readonly key: string;
  readonly country: string | null;
  /** The operator, or the dialing code. */
  readonly detail: string | null;
  readonly codes: string;
  readonly price: string;
  /** The row as the client returns it. */
  readonly entry: PriceEntry;
}

function toRows({ pricing }: SavedPrices): readonly PriceRow[] {
  return pricing.map((entry) => {
    const { id, countryName: country, price } = entry;
    if ('mcc' in entry) {
      const codes = `${entry.mcc} ${entry.mnc}`;
      return {
        key: `${codes} ${id ?? ''}`,
        country,
        detail: entry.operatorName,
        codes,
        price,
        entry,
      };
    }
    const { countryCode: detail, countryIso } = entry;
    const codes = countryIso ?? '';
    return { key: `${detail} ${codes} ${id ?? ''}`, country, detail, codes, price, entry };
  });
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

const nullableString = z.string().nullable();

const row = z.object({ id: nullableString, countryName: nullableString, price: z.string() });
const network = row.extend({ operatorName: nullableString, mcc: z.string(), mnc: z.string() });
const country = row.extend({ countryCode: z.string(), countryIso: nullableString });

const savedSchema = z.object({
  service: z.enum(['otp', 'lookup']),
  currency: z.object({ name: nullableString, symbol: nullableString }),
  pricing: z.array(z.union([network, country])).readonly(),
});

/** A price list as `--json` writes it and `--since` reads it. */
type SavedPrices = Readonly<z.output<typeof savedSchema>>;

/** Parses a list that `pricing --json` has written. @throws {CommandFailure} for anything else. */
function readSavedPrices(text: string): SavedPrices {
  const parsed = savedSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new CommandFailure(
    'The file is not a saved price list.',
    'Make one with pricing --json > prices.json.',
  );
}

/** How a row differs from the saved list. */
interface PriceChange {
  readonly kind: 'new' | 'gone' | 'dearer' | 'cheaper';
  readonly row: PriceRow;
  /** The price before; null for a new row. */
  readonly before: string | null;
}

/**
 * Compares two lists by amount, not by spelling. Changes are in the order of the list; removed rows
 * come last.
 */
function findChanges(
  before: readonly PriceRow[],
  after: readonly PriceRow[],
): readonly PriceChange[] {
  const known = new Map(before.map((row) => [row.key, row]));
  const kept = new Set(after.map(({ key }) => key));
  const changes = after.flatMap((row): readonly PriceChange[] => {
    const earlier = known.get(row.key);
    if (earlier === undefined) return [{ kind: 'new', row, before: null }];
    const [from, to] = [toMicros(earlier.price), toMicros(row.price)];
    if (from === to && (from !== null || earlier.price === row.price)) return [];
    return [
      {
        kind: (to ?? Infinity) > (from ?? Infinity) ? 'dearer' : 'cheaper',
        row,
        before: earlier.price,
      },
    ];
  });
  const gone = before.filter(({ key }) => !kept.has(key));
  return [
    ...changes,
    ...gone.map((row): PriceChange => ({ kind: 'gone', row, before: row.price })),
  ];
}
