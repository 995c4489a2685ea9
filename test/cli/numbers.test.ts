import { describe, expect, it } from '@jest/globals';
import { runCli } from './support/terminal';

/** The columns of each line that was written. */
async function readNumbers(input: string, ...argv: readonly string[]) {
  const { code, stdout, stderr } = await runCli(['numbers', ...argv], { input });
  const rows = stdout.split('\n').slice(0, -1);
  return { code, stderr, rows: rows.map((row) => row.split('\t')) };
}

const US = ['--country', 'US'];

describe('numbers', () => {
  it('has a verdict for each line, and says on standard error how many there are', async () => {
    const input = '+12025550123\n(202) 555-0124\n\nn/a\r\n+1 202 555 0123';
    const { code, rows, stderr } = await readNumbers(input, ...US);
    expect(rows).toEqual([
      ['ok', '+12025550123', ''],
      ['proposal', '(202) 555-0124', '+12025550124'],
      ['empty', '', ''],
      ['cannot-tell', 'n/a', 'no such number'],
      ['proposal', '+1 202 555 0123', '+12025550123'],
    ]);
    expect(code).toBe(1);
    const figures = Array.from(stderr.matchAll(/^(\S+) +(\d+)/gm), ([, name, count]) => [
      name,
      Number(count),
    ]);
    expect(Object.fromEntries(figures)).toEqual({
      ...{ ok: 1, proposal: 2, 'cannot-tell': 1, empty: 1, repeated: 1 },
    });
    expect(stderr).not.toMatch(/\d{4}/);
  });

  it('ends with 0 when every number is E.164', async () => {
    expect(await readNumbers('+12025550123\n+447400123456\n\n')).toMatchObject({ code: 0 });
  });

  it.each([
    ['2025550123', 'US', '+12025550123'],
    ['12025550123', 'US', '+12025550123'],
    ['1-202-555-0123', 'US', '+12025550123'],
    ['011 44 7400 123456', 'US', '+447400123456'],
    ['07400 123456', 'GB', '+447400123456'],
    ['0044 7400 123456', 'GB', '+447400123456'],
    ['447400123456', 'gb', '+447400123456'],
    ['\uFEFF0151 12345678', 'DE', '+4915112345678'],
    ['٠٥٠١٢٣٤٥٦٧', 'SA', '+966501234567'],
  ])('proposes for %s in %s %s', async (number, country, proposed) => {
    const { rows } = await readNumbers(number, '--country', country);
    expect(rows[0]?.slice(2)).toEqual([proposed]);
    expect(rows[0]?.[0]).toBe('proposal');
  });

  it.each([
    ['2025550123', [], 'no plus: name the country of such numbers with --country'],
    ['0044 7400 123456', [], 'no plus: name the country of such numbers with --country'],
    ['+44 20 7946 0018', [], 'a landline, or a number that charges its callers'],
    ['+1 202 555', US, 'no such number'],
    ['202 555 0123 ext. 4', US, 'no such number'],
    ['447400123456', US, 'no such number'],
    ['ring Ann', [], 'no such number'],
  ])('cannot tell what %s is with %j: %s', async (number, argv, why) => {
    const { rows, code } = await readNumbers(number, ...argv);
    expect([code, rows]).toEqual([1, [['cannot-tell', number, why]]]);
  });

  it('counts numbers of unknown ranges apart: they may be good', async () => {
    const input = '+18615550123\n+447700900123\n+1 202 555';
    const { code, rows, stderr } = await readNumbers(input);
    expect([code, rows[0]]).toEqual([
      1,
      [
        'cannot-tell',
        '+18615550123',
        expect.stringMatching(/^a range that libphonenumber-js [\d.]+ does not know$/),
      ],
    ]);
    expect(stderr).toMatch(/^cannot-tell +3 /m);
    expect(stderr).toMatch(/^unknown +2 /m);
  });

  it('proposes the form of today for Mexican numbers of before 2019', async () => {
    const { rows } = await readNumbers('+5215512345678');
    expect(rows).toEqual([['proposal', '+5215512345678', '+525512345678']]);
  });

  it('breaks no line and controls no terminal, whatever is stored', async () => {
    const { rows } = await readNumbers('a\tb\u001b[2J\u202ec\n+12025550123\t\n');
    expect(rows.map(([verdict, ...rest]) => [verdict, rest.length])).toEqual([
      ['cannot-tell', 2],
      ['ok', 2],
    ]);
    expect(rows.flat().join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('ends when nobody reads on, as after `| head`', async () => {
    const reader = new AbortController();
    const ended = await runCli(['numbers'], {
      input: '+12025550123\n'.repeat(100),
      signal: reader.signal,
      onOutput: () => reader.abort(),
    });
    expect([ended.code, ended.stdout]).toEqual([1, 'ok\t+12025550123\t\n']);
    expect(ended.stderr).toContain('Interrupted.');
  });

  it('needs an input, and a country that there is', async () => {
    expect(await runCli(['numbers'], { input: '' })).toMatchObject({ code: 1, stdout: '' });
    for (const country of ['XX', 'USA', 'United States']) {
      const { code, stdout, stderr } = await runCli(['numbers', '--country', country], {
        input: '+12025550123',
      });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('--country must be an ISO 3166-1 code such as US');
    }
    const { code, stderr } = await runCli(['numbers'], { isTerminal: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining('numbers reads standard input')]);
  });
});
