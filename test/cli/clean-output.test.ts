import { describe, expect, it } from '@jest/globals';
import { createOutput } from '../../src/cli/command';
import { openAccount } from './support/account';
import { jsonOf, runCli } from './support/terminal';

const NUMBER = '+447700900110';

/** A line break, a title of the window, a screen that is cleared, hidden text, and C1 forms of it. */
const HOSTILE = 'a\r\nb\u001b]0;t\u0007\u001b[2J\u001b[8mc\u009b2Jd\u202ee\u2028f\u2029g\u{e0001}h';
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** What is written, without line breaks and the formats of our own. */
function withoutOurs(text: string): string {
  const formats = [1, 2, 22, 31, 32, 33, 36, 39].map((code) => `\u001b[${code}m`);
  return ['\n', ...formats].reduce((left, format) => left.replaceAll(format, ''), text);
}

describe('what the gateway says', () => {
  it.each([false, true])('cannot control the terminal: terminal %s', async (isTerminal) => {
    const { env, simulator } = await openAccount();
    simulator.subscribers.set(NUMBER, { status: HOSTILE, operator: HOSTILE, country: HOSTILE });
    const runs = [
      await runCli(['lookup', NUMBER, '--yes'], { env, isTerminal }),
      await runCli(['lookup', NUMBER, '--yes', '--json'], { env, isTerminal }),
      await runCli(['doctor', '--lookup', NUMBER, '--yes'], { env, isTerminal }),
    ];
    for (const { stdout, stderr } of runs) {
      expect(withoutOurs(stdout)).not.toMatch(CONTROLS);
      expect(withoutOurs(stderr.replaceAll('\r\u001b[K', ''))).not.toMatch(CONTROLS);
    }
  });

  it('is escaped in JSON, and is the same when it is read', async () => {
    const { env, simulator } = await openAccount();
    simulator.subscribers.set(NUMBER, { status: 'valid', operator: HOSTILE });
    const ended = await runCli(['lookup', NUMBER, '--yes', '--json'], { env });
    expect(ended.stdout.replaceAll('\n', '')).not.toMatch(CONTROLS);
    expect(jsonOf(ended)).toMatchObject({ operator: HOSTILE });
  });
});

describe('the output', () => {
  const open = (isTTY: boolean) => {
    const written = { stdout: '', stderr: '' };
    const sink = (name: keyof typeof written) => ({
      isTTY,
      write: (text: string) => void (written[name] += text),
    });
    const io = { stdout: sink('stdout'), stderr: sink('stderr'), env: {} };
    return { written, output: createOutput(io) };
  };

  it.each(['line', 'lines', 'note', 'ask', 'progress'] as const)('is clean: %s', (name) => {
    const { written, output } = open(true);
    output[name](HOSTILE);
    const text = (written.stdout + written.stderr).replaceAll('\r\u001b[K', '');
    expect(text).toContain('[2J');
    expect(text.replaceAll('\n', '')).not.toMatch(CONTROLS);
    expect(name === 'lines' || text.trimEnd().split('\n').length === 1).toBe(true);
  });

  it('keeps our own formats and nobody else’s', () => {
    const { written, output } = open(true);
    output.line(`${output.style('red', 'a\u001b[32mb')}\u001b[1mc`);
    expect(written.stdout).toBe('\u001b[31ma [32mb\u001b[39m [1mc\n');
  });

  it('separates cells by tabs, which no cell has', () => {
    const { written, output } = open(false);
    output.line('a', 'b\tc', 'd');
    expect(written.stdout).toBe('a\tb c\td\n');
  });
});
