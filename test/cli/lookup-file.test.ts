import { describe, expect, it } from '@jest/globals';
import { openAccount } from './support/account';
import { makeFolder } from './support/files';
import { jsonOf, runCli } from './support/terminal';

const FILES = ['lookup', '--in', 'in.csv', '--out', 'out.csv'];
const HEAD = 'phone,status,advanced_status,country,operator,mcc,mnc,cost,error';
const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_value, n) => `+4477009001${10 + n}`);

describe.each(['A', 'B'] as const)('lookup of a file (%s)', (variant) => {
  it('adds a row for each number and keeps identities out', async () => {
    const { env, simulator } = await openAccount({ variant });
    simulator.subscribers.set('+447700900111', {
      status: 'invalid',
      advancedStatus: 'UNKNOWN_SUBSCRIBER',
    });
    const folder = makeFolder();
    folder.write('in.csv', 'name,phone\nAnn,+447700900110\nBob,447700900111\n');
    const ended = await runCli([...FILES, '--budget', '1', '--yes'], { env, folder: folder.path });
    expect(ended.code).toBe(0);
    const [head, ...rows] = folder.read('out.csv').trim().split('\n').sort().reverse();
    expect(head).toBe(HEAD);
    expect(rows.reverse()).toEqual([
      expect.stringMatching(/^\+447700900110,valid,,United Kingdom,[^,]+,234,[0-9]+,0\.0060,$/),
      expect.stringMatching(/^\+447700900111,invalid,UNKNOWN_SUBSCRIBER,,,,,/),
    ]);
    expect(ended.stdout).toContain('1 valid, 1 invalid');
  });

  it('goes on where it was, and pays for what is new alone', async () => {
    const { env } = await openAccount({ variant });
    const folder = makeFolder();
    folder.write('in.csv', `phone\n${numbers(3).join('\n')}\n`);
    const argv = [...FILES, '--budget', '1', '--yes', '--json'];
    const run = { env, folder: folder.path };
    expect(jsonOf(await runCli(argv, run))).toMatchObject({
      done: 3,
      known: 0,
      spent: '0.0180',
      left: 0,
    });
    const first = folder.read('out.csv');
    folder.write('in.csv', `phone\n${numbers(5).join('\n')}\n`);
    expect(jsonOf(await runCli(argv, run))).toMatchObject({
      done: 2,
      known: 3,
      spent: '0.0120',
      left: 0,
    });
    expect(folder.read('out.csv').startsWith(first)).toBe(true);
    expect(jsonOf(await runCli(argv, run))).toMatchObject({
      done: 0,
      known: 5,
      spent: '0.0000',
      left: 0,
    });
    expect((await runCli(['balance'], { env })).stdout).toBe('99.9700\n');
  });

  it('stops before the budget is exceeded', async () => {
    const { env } = await openAccount({ variant });
    const folder = makeFolder();
    folder.write('in.csv', `phone\n${numbers(9).join('\n')}\n`);
    const ended = await runCli([...FILES, '--budget', '0.0200', '--yes', '--json'], {
      env,
      folder: folder.path,
    });
    expect(ended.code).toBe(1);
    expect(jsonOf(ended)).toMatchObject({ done: 3, spent: '0.0180', left: 6, stop: 'budget' });
    expect(folder.read('out.csv').trim().split('\n')).toHaveLength(4);
  });
});

describe('a file with invalid rows', () => {
  it('is read as far as it can be: quotes, BOM, CRLF, missing fields, a line of 1 MB, numbers given twice', async () => {
    const { env } = await openAccount();
    const folder = makeFolder();
    const rows = [
      '\uFEFFname,"Mobile"',
      '"Doe, Jane","+44 7700 900110"',
      'short',
      'Joe,not a number',
      `${'x'.repeat(1_000_000)},+447700900112`,
      '',
      'Twin,447700900110',
      '"Two\r\nlines",(+44) 7700-900113',
      'Digits,٤٤٧٧٠٠٩٠٠١١٤',
      'Open,"+447700900115',
    ];
    folder.write('in.csv', rows.join('\r\n'));
    const ended = await runCli([...FILES, '--budget', '1', '--yes', '--json'], {
      env,
      folder: folder.path,
    });
    expect(ended.code).toBe(0);
    expect(jsonOf(ended)).toMatchObject({
      done: 2,
      duplicates: 1,
      invalidLines: [3, 4, 5, 10, 11],
      left: 0,
    });
    expect(folder.read('out.csv')).toContain('+447700900113,');
    const shown = await runCli([...FILES, '--budget', '1', '--yes'], { env, folder: folder.path });
    expect(shown.stdout).toContain('no number in line 3, 4, 5, 10, 11');
  });

  it.each([
    ['no such column', 'name,tel\nAnn,+447700900110\n', [], 'names no column of phone numbers'],
    [
      'no column of that name',
      'Name,phone\nAnn,+447700900110\n',
      ['--column', 'tel'],
      'It has: Name, phone.',
    ],
    [
      'no head, and a column',
      '+44 7700900110,ann@example.com\n',
      ['--column', 'tel'],
      'It has: no names.',
    ],
    ['no head', '+447700900110\n', [], 'names no column of phone numbers'],
    ['nothing in it', '', [], 'The file is empty.'],
  ])('is refused with %s, and no number of it is repeated', async (_title, text, more, words) => {
    const { env } = await openAccount();
    const folder = makeFolder();
    folder.write('in.csv', text);
    const ended = await runCli([...FILES, '--budget', '1', '--yes', ...more], {
      env,
      folder: folder.path,
    });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
    expect(ended.stderr).not.toMatch(/7700900110|example/);
    expect(folder.has('out.csv')).toBe(false);
  });

  it('takes the column that is named', async () => {
    const { env } = await openAccount();
    const folder = makeFolder();
    folder.write('in.csv', 'phone,Tel\nx,+447700900110\n');
    const argv = [...FILES, '--column', 'tel', '--budget', '1', '--yes', '--json'];
    expect(jsonOf(await runCli(argv, { env, folder: folder.path }))).toMatchObject({ done: 1 });
  });
});

describe('money for a file', () => {
  it('is asked for with the most it can come to', async () => {
    const { env, simulator } = await openAccount();
    const folder = makeFolder();
    folder.write('in.csv', `phone\n${numbers(3).join('\n')}\n`);
    const run = { env, folder: folder.path, input: 'n\n', isTerminal: true };
    const rich = await runCli([...FILES, '--budget', '5'], run);
    expect(rich.stderr).toContain('Look up 3 numbers? It costs at most 0.0180.');
    expect((await runCli([...FILES, '--budget', '0.01'], run)).stderr).toContain('at most 0.0100.');
    expect(rich.code).toBe(1);
    expect([folder.has('out.csv'), simulator.stats()]).toMatchObject([
      false,
      { calls: { lookup: 0 } },
    ]);
  });

  it.each(['0', '-1', '1,50', 'x', '1e3'])('must be an amount: not %s', async (budget) => {
    const { env } = await openAccount();
    const ended = await runCli([...FILES, `--budget=${budget}`, '--yes'], {
      env,
      folder: makeFolder().path,
    });
    expect(ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--budget must be an amount'),
    });
  });
});
