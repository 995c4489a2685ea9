import { describe, expect, it } from '@jest/globals';
import type { Fault } from 'passport-sms-otp/simulator';
import { openAccount } from './support/account';
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
