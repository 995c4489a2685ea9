import { describe, expect, it } from '@jest/globals';
import { openAccount } from './support/account';
import { makeFolder } from './support/files';
import { jsonOf, runCli } from './support/terminal';

const FILES = ['lookup', '--in', 'in.txt', '--out', 'out.jsonl'];
const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_value, n) => `+4477009001${10 + n}`);

describe.each(['A', 'B'] as const)('lookup of a file (%s)', (variant) => {
  it('adds a line for each number and keeps identities out', async () => {
    const { env, simulator } = await openAccount({ variant });
    simulator.subscribers.set('+447700900111', {
      status: 'invalid',
      advancedStatus: 'UNKNOWN_SUBSCRIBER',
    });
    const folder = makeFolder();
    folder.write('in.txt', '+447700900110\n+447700900111\n');
    const ended = await runCli([...FILES, '--budget', '1', '--yes'], { env, folder: folder.path });
    expect(ended.code).toBe(0);
    const lines = folder.read('out.jsonl').trimEnd().split('\n').toSorted();
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        phone: '+447700900110',
        status: 'valid',
        advancedStatus: null,
        country: 'United Kingdom',
        operator: expect.any(String),
        mcc: '234',
        mnc: expect.stringMatching(/^[0-9]+$/),
        cost: '0.0060',
        error: null,
      },
      expect.objectContaining({
        phone: '+447700900111',
        status: 'invalid',
        advancedStatus: 'UNKNOWN_SUBSCRIBER',
        country: null,
        operator: null,
      }),
    ]);
    expect(ended.stdout).toContain('1 valid, 1 invalid');
  });

  it('goes on where it was, and pays for what is new alone', async () => {
    const { env } = await openAccount({ variant });
    const folder = makeFolder();
    folder.write('in.txt', `${numbers(3).join('\n')}\n`);
    const argv = [...FILES, '--budget', '1', '--yes', '--json'];
    const run = { env, folder: folder.path };
    expect(jsonOf(await runCli(argv, run))).toMatchObject({
      done: 3,
      known: 0,
      spent: '0.0180',
      left: 0,
    });
    const first = folder.read('out.jsonl');
    folder.write('in.txt', `${numbers(5).join('\n')}\n`);
    expect(jsonOf(await runCli(argv, run))).toMatchObject({
      done: 2,
      known: 3,
      spent: '0.0120',
      left: 0,
    });
    expect(folder.read('out.jsonl').startsWith(first)).toBe(true);
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
    folder.write('in.txt', `${numbers(9).join('\n')}\n`);
    const ended = await runCli([...FILES, '--budget', '0.0200', '--yes', '--json'], {
      env,
      folder: folder.path,
    });
    expect(ended.code).toBe(1);
    expect(jsonOf(ended)).toMatchObject({ done: 3, spent: '0.0180', left: 6, stop: 'budget' });
    expect(folder.read('out.jsonl').trim().split('\n')).toHaveLength(3);
  });
});

describe('the numbers', () => {
  it('are read as far as they can be, and lines without one are named', async () => {
    const { env } = await openAccount();
    const folder = makeFolder();
    const rows = [
      '\uFEFFphone',
      '+44 7700 900110',
      'not a number',
      '+447700900110',
      '',
      '(+44) 7700-900113',
    ];
    folder.write('in.txt', rows.join('\r\n'));
    const run = { env, folder: folder.path };
    const ended = await runCli([...FILES, '--budget', '1', '--yes', '--json'], run);
    expect(ended.code).toBe(0);
    expect(jsonOf(ended)).toMatchObject({ done: 2, duplicates: 1, invalidLines: [1, 3], left: 0 });
    expect(folder.read('out.jsonl')).toContain('"+447700900113"');
    const shown = await runCli([...FILES, '--budget', '1', '--yes'], run);
    expect(shown.stdout).toContain('no number in line 1, 3');
  });

  it.each([
    ['a table', 'name,phone\nAnn,+447700900110\n', 'one number a line'],
    ['nothing in it', '', 'The input is empty.'],
  ])('are missing in %s, and no number of it is repeated', async (_title, text, words) => {
    const { env } = await openAccount();
    const folder = makeFolder();
    folder.write('in.txt', text);
    const ended = await runCli([...FILES, '--budget', '1', '--yes'], { env, folder: folder.path });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
    expect(ended.stderr).not.toMatch(/7700900110|Ann/);
    expect(folder.has('out.jsonl')).toBe(false);
  });

  it('come from standard input, too, and a later run goes on with the same output', async () => {
    const { env, simulator } = await openAccount();
    const folder = makeFolder();
    const argv = ['lookup', '--in', '-', '--out', 'out.jsonl', '--budget', '1', '--yes', '--json'];
    const run = { env, folder: folder.path };
    const first = await runCli(argv, { ...run, input: `${numbers(2).join('\n')}\n` });
    expect(jsonOf(first)).toMatchObject({ done: 2, known: 0, left: 0 });
    const second = await runCli(argv, { ...run, input: `${numbers(3).join('\n')}\n` });
    expect(jsonOf(second)).toMatchObject({ done: 1, known: 2, left: 0 });
    expect(simulator.stats().calls.lookup).toBe(3);
  });

  it('cannot come from where the password comes from', async () => {
    const { env } = await openAccount();
    const argv = ['lookup', '--in', '-', '--out', 'out.jsonl', '--budget', '1', '--password-stdin'];
    expect(await runCli(argv, { env, folder: makeFolder().path })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('both read standard input'),
    });
  });

  it('of standard input cost nothing without --yes', async () => {
    const { env, simulator } = await openAccount();
    const argv = ['lookup', '--in', '-', '--out', 'out.jsonl', '--budget', '1'];
    const run = { env, folder: makeFolder().path, input: '+447700900110\n' };
    expect(await runCli(argv, run)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('add --yes'),
    });
    expect(simulator.stats().calls.lookup).toBe(0);
  });
});

describe('money for a file', () => {
  it('is asked for with the most it can come to', async () => {
    const { env, simulator } = await openAccount();
    const folder = makeFolder();
    folder.write('in.txt', `${numbers(3).join('\n')}\n`);
    const run = { env, folder: folder.path, input: 'n\n', isTerminal: true };
    const rich = await runCli([...FILES, '--budget', '5'], run);
    expect(rich.stderr).toContain('Look up 3 numbers? It costs at most 0.0180.');
    expect((await runCli([...FILES, '--budget', '0.01'], run)).stderr).toContain('at most 0.0100.');
    expect(rich.code).toBe(1);
    expect([folder.has('out.jsonl'), simulator.stats()]).toMatchObject([
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
