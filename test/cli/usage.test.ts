import { describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import { COMMANDS } from '../../src/cli/run';
import { readPage } from '../docs/support/pages';
import { environmentOf, PASSWORD } from './support/account';
import { runCli } from './support/terminal';

const ESCAPE = '\u001b[';
const env = environmentOf('http://127.0.0.1:1', 'A');

describe('help', () => {
  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'of %s lists its options',
    async (name, { options }) => {
      const { code, stdout, stderr } = await runCli([name, '--help']);
      expect([code, stderr]).toEqual([0, '']);
      for (const option of Object.keys(options)) expect(stdout).toContain(`--${option}`);
    },
  );

  it('of the program lists every command, on standard output when it is asked for', async () => {
    const { code, stdout } = await runCli(['--help']);
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(stdout).toContain(`  ${name}`);
  });

  it('of the program and both tables of the docs name the same commands', () => {
    const names = COMMANDS.map(({ name }) => name).toSorted();
    const [table = ''] = readPage('docs/command-line.md').text.split('## Common rules');
    const rows = Array.from(table.matchAll(/^\| \[?`([a-z-]+)/gm), ([, name]) => name);
    expect(rows.toSorted()).toEqual(names);
    const row = /^\| `npx passport-sms-otp`.*$/m.exec(readPage('docs/api.md').text)?.[0] ?? '';
    const listed = Array.from(row.matchAll(/`([a-z-]+)`/g), ([, name]) => name);
    expect(listed.toSorted()).toEqual(names);
  });

  it('of the program names --version', async () => {
    expect((await runCli(['--help'])).stdout).toContain('--version');
  });

  it('of unlock names the variables that it needs', async () => {
    const { stdout } = await runCli(['unlock', '--help']);
    for (const variable of ['REDIS_URL', 'DATABASE_URL']) expect(stdout).toContain(variable);
  });

  it('comes with exit code 2, on standard error, when nothing is asked for', async () => {
    const { code, stdout, stderr } = await runCli([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('doctor');
  });

  it('fits 120 columns', async () => {
    for (const { name } of COMMANDS) {
      const { stdout } = await runCli([name, '--help']);
      expect(stdout.split('\n').filter((line) => line.length > 120)).toEqual([]);
    }
  });
});

it('--version is the version of the package', async () => {
  expect(await runCli(['--version'])).toEqual({
    code: 0,
    stdout: `${manifest.version}\n`,
    stderr: '',
  });
});

describe('wrong usage', () => {
  it.each([
    [['docter'], 'did you mean doctor?'],
    [['balance', '--jsn'], '--jsn is not an option of balance'],
    [['balance', 'now'], 'balance takes fewer arguments'],
    [['pricing', '--since', 'prices.json'], '--since is not an option of pricing'],
    [['send'], 'send needs <number>'],
    [['validate', 'id'], 'validate needs <number>'],
    [['unlock', ''], 'an argument of unlock is empty'],
    [['send', '0123', '--yes'], 'country code'],
    [['send', '2025550123', '--yes'], 'the number must have a plus'],
    [['lookup', '2025550123'], 'the number must have a plus'],
    [['send', '+12025550123', '--validity', '1e3'], '--validity must be a whole number'],
    [['balance', '--json=yes'], '--json takes no value'],
    [['balance', '--ca'], '--ca needs a value'],
    [['balance', '--timeout', '1', '--timeout', '2'], 'more than once'],
    [['balance', '--timeout', '0'], '--timeout must be a whole number from 1 to 60'],
    [['simulate', '--variant', 'C'], '--variant must be A or B'],
    [['lookup', '+12025550123', '2025550124'], 'the number must have a plus'],
    [['lookup', '+12025550123', ''], 'an argument of lookup is empty'],
    [['doctor', '--send'], 'need --number'],
    [['unlock', 'alice'], 'REDIS_URL or DATABASE_URL must be set'],
  ])('%j ends with 2 and says what is wrong', async (argv, words) => {
    const { code, stdout, stderr } = await runCli(argv, { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });

  it('names every variable of the gateway that is missing', async () => {
    const { code, stderr } = await runCli(['balance'], { env: { SMS_OTP_USERNAME: 'demo' } });
    expect(code).toBe(2);
    expect(stderr).toContain('SMS_OTP_BASE_URL, SMS_OTP_PASSWORD are not set');
  });

  it.each([
    [{ SMS_OTP_VARIANT: 'C' }, 'SMS_OTP_VARIANT must be A or B'],
    [{ SMS_OTP_NUMBERS_AS: 'words' }, 'SMS_OTP_NUMBERS_AS must be string or number'],
    [{ SMS_OTP_NUMBERS_AS: 'mobile:string' }, 'SMS_OTP_NUMBERS_AS must be string or number'],
    [{ SMS_OTP_NUMBERS_AS: 'mobile:string,validity:no' }, 'or mobile:string,validity:number'],
    [{ SMS_OTP_BASE_URL: 'http://gateway.example' }, 'SMS_OTP_BASE_URL must be https'],
  ])('of the environment, %j, is named', async (wrong, words) => {
    const { code, stderr } = await runCli(['balance'], { env: { ...env, ...wrong } });
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});

describe('a secret on the command line', () => {
  it.each([
    [['balance', '--password', 'hunter2']],
    [['balance', '--password=hunter2']],
    [['validate', 'id', '+12025550123', '--pin=hunter2']],
    [['send', '+12025550123', '--token', 'hunter2']],
    [['unlock', 'alice', '--prefix', 'redis://user:hunter2@host']],
    [['unlock', 'alice', '--prefix=redis://user:hunter2@host']],
    [['hunter2', '--password', 'hunter2']],
    [['send', '+12025550123', '--message', `[PIN] ${PASSWORD}`]],
    [['balance', 'eyJhbGciOiJIUzI1NiJ9.hunter2.sig']],
    [['pricing', '--ca=eyJhbGciOiJIUzI1NiJ9.hunter2.sig']],
  ])('is refused and not repeated: case %#', async (argv) => {
    const { code, stdout, stderr } = await runCli(argv, { env });
    expect(code).toBe(2);
    expect(stderr).toContain('A secret does not belong on the command line');
    expect(stdout + stderr).not.toMatch(/hunter2|pass-phrase/);
  });

  it('is not repeated where it is taken for something else', async () => {
    for (const argv of [
      ['hunter2'],
      ['balance', 'hunter2'],
      ['balance', '--hunter2'],
      ['balance', '-hunter2'],
    ]) {
      const { code, stdout, stderr } = await runCli(argv, { env });
      expect(code).toBe(2);
      expect(stdout + stderr).not.toContain('hunter2');
    }
  });
});

describe('colours', () => {
  it('are on a terminal and nowhere else', async () => {
    expect((await runCli(['--help'], { isTerminal: true })).stdout).toContain(ESCAPE);
    expect((await runCli(['--help'])).stdout).not.toContain(ESCAPE);
  });

  it('are switched off by NO_COLOR and by a dumb terminal', async () => {
    for (const setting of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const { stdout, stderr } = await runCli(['--help'], { isTerminal: true, env: setting });
      expect(stdout).toBe((await runCli(['--help'])).stdout);
      expect(stdout + stderr).not.toContain(ESCAPE);
    }
  });

  it('stay when NO_COLOR is empty', async () => {
    expect(
      (await runCli(['--help'], { isTerminal: true, env: { NO_COLOR: '' } })).stdout,
    ).toContain(ESCAPE);
  });
});
