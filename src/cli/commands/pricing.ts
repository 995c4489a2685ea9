import { readText } from '../args/read-values';
import { type Command, type CommandCall, type ExitCode, JSON_OPTION } from '../command';
import { CommandFailure } from '../failures';
import { GATEWAY_OPTIONS, withGateway } from '../gateway/with-gateway';
import { cleanText } from '../output/screen';
import { layOutTable } from '../output/table';
import {
  fetchPrices,
  filterRows,
  findChanges,
  type PriceChange,
  type PriceRow,
  readSavedPrices,
  type SavedPrices,
  toRows,
} from '../prices/price-list';

export const balance: Command = {
  name: 'balance',
  summary: "the account's money",
  positionals: [],
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  notes: [],
  run: (call) =>
    withGateway<ExitCode>(call, async ({ otp }) => {
      const found = await otp.balance();
      if (call.args.isOn('json')) call.screen.json(found);
      else call.screen.line(found.balance);
      return 0;
    }),
};

export const pricing: Command = {
  name: 'pricing',
  summary: 'what a text message or a lookup costs',
  positionals: ['[filter]'],
  options: {
    lookup: { help: 'prices of lookups instead of text messages' },
    since: { value: '<file>', help: 'show what has changed since a list that --json wrote' },
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  notes: ['A filter is part of a country, an operator or a code: pricing germany, pricing 26201.'],
  async run(call) {
    const since = call.args.text('since');
    const saved = since === undefined ? null : readSavedPrices(await readText(call.io.folder, since));
    const service = call.args.isOn('lookup') ? 'lookup' : 'otp';
    if (saved !== null && saved.service !== service) {
      throw new CommandFailure('The saved list is of the other service.', 'Add or take away --lookup.');
    }
    const { oddRows, ...list } = await withGateway(call, (client) => fetchPrices(client, service));
    if (oddRows > 0) call.screen.note(`${oddRows} rows of the list were not as documented and are left out.`);
    show(call, list, saved);
    return 0;
  },
};

function show(call: CommandCall, list: SavedPrices, saved: SavedPrices | null): void {
  const { args, screen } = call;
  const filter = args.positionals[0];
  const rows = filterRows(toRows(list), filter);
  const changes = saved === null ? null : findChanges(filterRows(toRows(saved), filter), rows);
  if (args.isOn('json')) {
    const pricing = rows.map(({ entry }) => entry);
    screen.json(
      changes?.map(({ kind, before, row }) => ({ kind, before, ...row.entry })) ?? { ...list, pricing },
    );
  } else if (changes === null) showRows(call, rows, list);
  else showChanges(call, changes);
}

function showRows(
  { screen }: CommandCall,
  rows: readonly PriceRow[],
  { service, currency }: SavedPrices,
): void {
  const [head, ...lines] = layOutTable(
    [
      { head: 'Country' },
      ...(service === 'otp'
        ? [{ head: 'Operator' }, { head: 'MCC MNC' }]
        : [{ head: 'Dial code' }, { head: 'ISO' }]),
      { head: `Price ${cleanText(currency.symbol)}`.trim(), isRight: true },
    ],
    rows.map(({ country, detail, codes, price }) => [country, detail, codes, price]),
  );
  if (rows.length === 0) screen.note('No row has that.');
  else for (const line of [screen.style.dim(head ?? ''), ...lines]) screen.line(line);
}

function showChanges({ screen }: CommandCall, changes: readonly PriceChange[]): void {
  const { green, red, yellow } = screen.style;
  const paints = { new: yellow, gone: yellow, dearer: red, cheaper: green };
  const [, ...lines] = layOutTable(
    [
      { head: '' },
      { head: '' },
      { head: '' },
      { head: '' },
      { head: '', isRight: true },
      { head: '', isRight: true },
    ],
    changes.map(({ kind, row: { country, detail, codes, price }, before }) => [
      ...[kind, country, detail, codes],
      ...[before ?? '', kind === 'gone' ? '' : price],
    ]),
  );
  if (changes.length === 0) screen.note('Nothing has changed.');
  for (const [index, line] of lines.entries()) {
    const kind = changes[index]?.kind ?? 'new';
    screen.line(paints[kind](kind) + line.slice(kind.length));
  }
}
