import { describe, expect, it } from '@jest/globals';
import { MOBILE, openAccount, PASSWORD } from './support/account';
import { runCli, type Ended } from './support/terminal';

const NUMBERS = ['+447700900110', '+447700900111', '+447700900112'] as const;
const INPUT = `${NUMBERS.join('\n')}\n`;
const JSON_RUN = ['lookup', '--yes', '--json'];

/** The results of a run with `--json`, one a line. */
function resultsOf({ stdout }: Ended): unknown[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
}

const phones = (mobiles: readonly string[]) =>
  mobiles.map((phone) => expect.objectContaining({ phone, status: 'valid' }));

describe.each(['A', 'B'] as const)('lookup of several numbers (%s)', (variant) => {
  it('writes one line of JSON for each, in their order, from arguments and from input', async () => {
    const { env, simulator } = await openAccount({ variant });
    for (const ended of [
      await runCli([...JSON_RUN, ...NUMBERS], { env }),
      await runCli(JSON_RUN, { env, input: INPUT }),
    ]) {
      expect([ended.code, ended.stderr]).toEqual([0, '']);
      expect(resultsOf(ended)).toEqual(phones(NUMBERS));
    }
    expect(simulator.stats().calls.lookup).toBe(6);
  });

  it('writes them as text, with an empty line between two', async () => {
    const { env } = await openAccount({ variant });
    const { stdout } = await runCli(['lookup', '--yes', ...NUMBERS], { env });
    const blocks = stdout.trimEnd().split('\n\n');
    expect(blocks.map((block) => block.split('\n')[0])).toEqual(
      NUMBERS.map((mobile) => `phone           ${mobile}`),
    );
    expect(stdout).toContain('country         United Kingdom');
  });

  it.each([1221, 2003, 2005])('goes on after %i, which is about one number', async (code) => {
    const { env, simulator } = await openAccount({ variant });
    simulator.failNext('lookup', { kind: 'error', code });
    const ended = await runCli([...JSON_RUN, ...NUMBERS], { env });
    expect([ended.code, ended.stderr]).toEqual([1, '']);
    const [refused, ...others] = resultsOf(ended);
    expect(refused).toEqual({ phone: NUMBERS[0], gatewayCode: code });
    expect(others).toEqual(phones(NUMBERS.slice(1)));
    simulator.failNext('lookup', { kind: 'error', code });
    const shown = await runCli(['lookup', '--yes', ...NUMBERS], { env });
    expect(shown.stdout).toMatch(/^phone {11}\+447700900110\nrefused {9}\w.+\.\n\nphone/);
  });

  it.each([1006, 2002, 2004])('ends at %i, and pays for no more', async (code) => {
    const { env, simulator } = await openAccount({ variant });
    await runCli([...JSON_RUN, NUMBERS[0]], { env });
    simulator.failNext('lookup', { kind: 'error', code }, Infinity);
    const ended = await runCli(['lookup', '--yes', ...NUMBERS], { env });
    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`${code}`),
    });
    expect(ended.stderr).not.toMatch(/7700900/);
    expect(simulator.stats().calls.lookup).toBe(2);
  });
});

describe('the numbers', () => {
  it.each([
    ['CRLF', INPUT.replaceAll('\n', '\r\n')],
    ['no last line break', INPUT.trimEnd()],
    ['a byte order mark', `\uFEFF${INPUT}`],
    ['empty lines', `\n\n${INPUT.replace('\n', '\n\r\n  \n')}\n`],
    ['signs that people write', ' +44 7700 900110\t\n(+44) 7700-900.111\n+447700900112'],
    ['a number twice, which is looked up once', `${INPUT}+44 7700 900110\n`],
  ])('are read from input with %s', async (_title, input) => {
    const { env } = await openAccount();
    expect(resultsOf(await runCli(JSON_RUN, { env, input }))).toEqual(phones(NUMBERS));
  });

  it('that are given twice are looked up once', async () => {
    const { env } = await openAccount();
    const ended = await runCli([...JSON_RUN, '+447700900110', '+44 7700 900110'], { env });
    expect(resultsOf(ended)).toHaveLength(1);
  });

  it.each([
    ['a head', `phone\n${INPUT}`, 1],
    ['a number without its plus', `${INPUT}\n447700900110\n`, 5],
    ['digits of another script', `${INPUT}٤٤٧٧٠٠٩٠٠١١٤\n`, 4],
    ['a table', 'Ann,+447700900111\n', 1],
  ])('are all refused for %s, with its line and not its words', async (_title, input, line) => {
    const { env, simulator } = await openAccount();
    const ended = await runCli(['lookup', '--yes'], { env, input });
    expect(ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`line ${line} of standard input is not a number`),
    });
    expect(ended.stderr).not.toMatch(/7700900|Ann/);
    expect(simulator.stats().calls.lookup).toBe(0);
  });

  it('are missed in an input that is empty or one long line, and on a terminal', async () => {
    const { env, simulator } = await openAccount();
    for (const [options, words] of [
      [{ input: '' }, 'Standard input had no number.'],
      [{ input: '\n \r\n' }, 'Standard input had no number.'],
      [{ input: '1'.repeat(1_000_000) }, 'too long'],
      [{ isTerminal: true }, 'lookup < numbers.txt'],
    ] as const) {
      const { stdout, stderr } = await runCli(['lookup', '--yes'], { env, ...options });
      expect([stdout, stderr]).toEqual(['', expect.stringContaining(words)]);
    }
    expect(simulator.stats().calls.lookup).toBe(0);
  });

  it('come after the password where both come from standard input', async () => {
    const { env } = await openAccount();
    const { SMS_OTP_PASSWORD: _, ...rest } = env;
    const input = `${PASSWORD}\n${INPUT}`;
    const ended = await runCli([...JSON_RUN, '--password-stdin'], { env: rest, input });
    expect(resultsOf(ended)).toEqual(phones(NUMBERS));
  });
});

describe('money', () => {
  it('is asked for once, with how many numbers there are', async () => {
    const { env, simulator } = await openAccount();
    const run = { env, input: 'n\n', isTerminal: true };
    const { code, stderr } = await runCli(['lookup', ...NUMBERS], run);
    expect(code).toBe(1);
    expect(stderr).toContain('Look up 3 numbers? It costs money.');
    expect((await runCli(['lookup', MOBILE], run)).stderr).toContain(`Look up ${MOBILE}?`);
    expect(simulator.stats().calls.lookup).toBe(0);
    expect((await runCli(['lookup', ...NUMBERS], { ...run, input: 'y\n' })).code).toBe(0);
    expect(simulator.stats().calls.lookup).toBe(3);
  });

  it('is not spent on numbers of standard input without --yes', async () => {
    const { env, simulator } = await openAccount();
    expect(await runCli(['lookup'], { env, input: INPUT })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('add --yes'),
    });
    expect(simulator.stats().calls.lookup).toBe(0);
  });

  it.each([
    ['Ctrl+C', 'SIGINT', 130],
    ['`| head`', undefined, 1],
  ])(
    'is spent on no more numbers after %s; each result is written at once',
    async (_t, by, code) => {
      const { env, simulator } = await openAccount();
      const reader = new AbortController();
      const ended = await runCli([...JSON_RUN, ...NUMBERS], {
        env,
        signal: reader.signal,
        onOutput: () => reader.abort(by),
      });
      expect(resultsOf(ended)).toEqual(phones(NUMBERS.slice(0, 1)));
      expect([ended.code, ended.stderr]).toEqual([code, 'Interrupted.\n']);
      expect(simulator.stats().calls.lookup).toBe(1);
    },
  );
});
