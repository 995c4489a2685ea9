import { type Command, type CommandCall, type ExitCode, JSON_OPTION } from '../command';
import { CommandFailure } from '../failures';
import { GATEWAY_OPTIONS, withGateway } from '../gateway';
import {
  fetchPrices,
  filterRows,
  findChanges,
  type PriceChange,
  type PriceRow,
  readSavedPrices,
  type SavedPrices,
  toRows,
} from '../price-list';
import { readText } from '../read-values';
import { cleanText } from '../terminal';

export const balance: Command = {
  name: 'balance',
  summary: "show the account's balance",
  positionals: [],
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  notes: [],
  run: (call) =>
    withGateway<ExitCode>(call, async ({ otp }) => {
      const found = await otp.balance();
      if (call.args.isOn('json')) call.output.json(found);
      else call.output.line(found.balance);
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
    const saved = since === undefined ? null : readSavedPrices(await readText(call.io.folder, since));
    const service = call.args.isOn('lookup') ? 'lookup' : 'otp';
    if (saved !== null && saved.service !== service) {
      throw new CommandFailure('The saved list is for the other service.', 'Add or remove --lookup.');
    }
    const { oddRows, ...list } = await withGateway(call, (client) => fetchPrices(client, service));
    if (oddRows > 0) call.output.note(`${oddRows} rows of the list are not as documented and are left out.`);
    show(call, list, saved);
    return 0;
  },
};

function show(call: CommandCall, list: SavedPrices, saved: SavedPrices | null): void {
  const { args, output } = call;
  const filter = args.positionals[0];
  const rows = filterRows(toRows(list), filter);
  const changes = saved === null ? null : findChanges(filterRows(toRows(saved), filter), rows);
  if (args.isOn('json')) {
    const pricing = rows.map(({ entry }) => entry);
    output.json(
      changes?.map(({ kind, before, row }) => ({ kind, before, ...row.entry })) ?? { ...list, pricing },
    );
  } else if (changes === null) showRows(call, rows, list);
  else showChanges(call, changes);
}

function showRows(
  { output }: CommandCall,
  rows: readonly PriceRow[],
  { service, currency }: SavedPrices,
): void {
  const [detailHead, codesHead] = service === 'otp' ? ['Operator', 'MCC MNC'] : ['Dial code', 'ISO'];
  const heads = ['Country', detailHead, codesHead, `Price ${cleanText(currency.symbol)}`];
  const cells = rows.map(({ country, detail, codes, price }) => [country, detail, codes, price]);
  const [head, ...lines] = formatTable([heads, ...cells], 1);
  if (rows.length === 0) output.note('No row matches.');
  else for (const line of [output.style.dim(head ?? ''), ...lines]) output.line(line);
}

function showChanges({ output }: CommandCall, changes: readonly PriceChange[]): void {
  const { green, red, yellow } = output.style;
  const paints = { new: yellow, gone: yellow, dearer: red, cheaper: green };
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
    output.line(paints[kind](kind) + line.slice(kind.length));
  }
}

const MAX_CELL_CHARACTERS = 40;

/** Returns the lines of a table. @param amounts How many of the last columns are aligned right. */
function formatTable(rows: readonly (readonly (string | null)[])[], amounts: number): string[] {
  const table = rows.map((row) => row.map((cell) => shorten(cleanText(cell))));
  const widths = table[0]?.map((_cell, index) => Math.max(...table.map((row) => widthOf(row[index])))) ?? [];
  const format = (cell: string, index: number): string =>
    pad(cell, widths[index] ?? 0, index >= widths.length - amounts);
  return table.map((row) => row.map(format).join('  ').trimEnd());
}

function widthOf(text = ''): number {
  return Array.from(text).length;
}

function shorten(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= MAX_CELL_CHARACTERS) return text;
  return `${characters.slice(0, MAX_CELL_CHARACTERS - 1).join('')}…`;
}

function pad(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return isRight ? space + text : text + space;
}
