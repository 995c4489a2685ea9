import { describe, expect, it } from '@jest/globals';
import type { Fault } from 'passport-sms-otp/simulator';
import { openAccount } from './support/account';
import { makeFolder } from './support/files';
import { jsonOf, runCli } from './support/terminal';

const ROW = {
  id: 1,
  countryname: 'France',
  operatorname: 'Hexagone',
  mcc: '208',
  mnc: '01',
  price: '0.0500',
};

function listOf(...pricing: readonly object[]): Fault {
  const payload = { currency: { name: 'Euro', symbol: '€' }, pricing };
  return { kind: 'body', status: 200, body: JSON.stringify({ status_code: 200, payload }) };
}

describe.each(['A', 'B'] as const)('pricing (%s)', (variant) => {
  it('shows a table of what a filter finds, by country, operator and code', async () => {
    const { env } = await openAccount({ variant });
    expect((await runCli(['pricing', 'germany'], { env })).stdout.split('\n')).toEqual([
      'Country  Operator         MCC MNC  Price $',
      'Germany  Rheinfunk        262 01    0.0750',
      'Germany  Rheinfunk        262 06    0.0750',
      'Germany  Nordlicht Mobil  262 02    0.0780',
      '',
    ]);
    for (const filter of ['RHEINFUNK', '26201', '262 01']) {
      expect((await runCli(['pricing', filter], { env })).stdout).toContain(
        'Rheinfunk        '.trim(),
      );
    }
  });

  it('ends with 1 when nothing matches', async () => {
    const { env } = await openAccount({ variant });
    const nothing = { code: 1, stdout: '', stderr: expect.stringContaining('No row matches.') };
    expect(await runCli(['pricing', 'zzz'], { env })).toMatchObject(nothing);
    expect(await runCli(['pricing', 'zzz', '--json'], { env })).toMatchObject({ code: 1 });
  });

  it('shows prices of lookups', async () => {
    const { env } = await openAccount({ variant });
    const { stdout } = await runCli(['pricing', '--lookup', '+49'], { env });
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'Country  Dial code  ISO  Price $',
      'Germany  +49        DE    0.0080',
    ]);
  });

  it('writes JSON that is filtered alike, with currency and service', async () => {
    const { env } = await openAccount({ variant });
    expect(jsonOf(await runCli(['pricing', 'nordlicht', '--json'], { env }))).toEqual({
      service: 'otp',
      currency: { name: 'US Dollar', symbol: '$' },
      pricing: [
        {
          id: '10',
          countryName: 'Germany',
          operatorName: 'Nordlicht Mobil',
          mcc: '262',
          mnc: '02',
          price: '0.0780',
        },
      ].map((row) => ({ ...row, id: expect.any(String) })),
    });
  });
});

describe('pricing --since', () => {
  it('shows what is new, gone, dearer and cheaper, by amount and not by writing', async () => {
    const { env, simulator } = await openAccount();
    const folder = makeFolder();
    const rows = ['01', '02', '03', '04'].map((mnc, id) => ({ ...ROW, id, mnc }));
    simulator.failNext('pricing', listOf(...rows));
    folder.write('prices.json', (await runCli(['pricing', '--json'], { env })).stdout);
    const [same, dearer, cheaper] = rows;
    const changed = [
      { ...same, price: '0.05' },
      { ...dearer, price: '0.1000' },
      { ...cheaper, price: '0.0400' },
      { ...ROW, id: 9, mnc: '09' },
    ];
    simulator.failNext('pricing', listOf(...changed), 2);
    const run = { env, folder: folder.path };
    expect((await runCli(['pricing', '--since', 'prices.json'], run)).stdout.split('\n')).toEqual([
      'dearer   France  Hexagone  208 02  0.0500  0.1000',
      'cheaper  France  Hexagone  208 03  0.0500  0.0400',
      'new      France  Hexagone  208 09          0.0500',
      'gone     France  Hexagone  208 04  0.0500',
      '',
    ]);
    expect(
      jsonOf(await runCli(['pricing', '--since', 'prices.json', '--json'], run)),
    ).toMatchObject([
      { kind: 'dearer', before: '0.0500', mnc: '02', price: '0.1000' },
      { kind: 'cheaper', before: '0.0500', mnc: '03', price: '0.0400' },
      { kind: 'new', before: null, mnc: '09' },
      { kind: 'gone', before: '0.0500', mnc: '04' },
    ]);
  });

  it('says that nothing has changed', async () => {
    const { env } = await openAccount();
    const folder = makeFolder();
    folder.write('prices.json', (await runCli(['pricing', '--json'], { env })).stdout);
    const ended = await runCli(['pricing', '--since', 'prices.json'], { env, folder: folder.path });
    expect(ended).toEqual({ code: 0, stdout: '', stderr: 'Nothing has changed.\n' });
  });

  it.each([
    ['garbage', 'not JSON', 'The file is not a saved price list.'],
    ['another shape', '{"service":"otp","pricing":{}}', 'The file is not a saved price list.'],
    [
      'the list of lookups',
      '{"service":"lookup","currency":{"name":null,"symbol":null},"pricing":[]}',
      'for the other service',
    ],
  ])('refuses %s', async (_title, text, words) => {
    const { env } = await openAccount();
    const folder = makeFolder();
    folder.write('prices.json', text);
    const ended = await runCli(['pricing', '--since', 'prices.json'], { env, folder: folder.path });
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(words) });
  });

  it('says when the file is not there', async () => {
    const { env } = await openAccount();
    const ended = await runCli(['pricing', '--since', 'none.json'], {
      env,
      folder: makeFolder().path,
    });
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('could not be read (ENOENT)'),
    });
  });
});

it('nothing in a price list steers the terminal', async () => {
  const { env, simulator } = await openAccount();
  simulator.failNext(
    'pricing',
    listOf({ ...ROW, operatorname: 'Evil\u001b[2J\r\nNetwork' }, { odd: true }),
  );
  const { stdout, stderr } = await runCli(['pricing'], { env });
  expect(stdout).toContain('Evil [2J  Network');
  expect(stdout).not.toContain('\u001b');
  expect(stderr).toContain('1 rows of the list are not as documented');
});
