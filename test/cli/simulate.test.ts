import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { closeLater } from '../client/support/cleanup';
import { environmentOf } from './support/account';
import { runCli, runWhile, type Ended } from './support/terminal';

const PASSWORD = 'demo-gateway-password';
const MOBILE = '+12025550123';

/** Starts a simulator by the command, and does something with it. */
function simulate(
  argv: readonly string[],
  use: (env: Record<string, string>, shown: string) => Promise<void>,
  env: Record<string, string> = {},
): Promise<Ended> {
  return runWhile(['simulate', ...argv], (shown) => use(readExports(shown), shown), { env });
}

function readExports(shown: string): Record<string, string> {
  const exports = Array.from(
    shown.matchAll(/export (\w+)=(\S+)/g),
    ([, name, value]) => [name, value] as const,
  );
  return Object.fromEntries(
    exports.flatMap(([name, value]) => (name && value ? [[name, value] as const] : [])),
  );
}

describe('simulate', () => {
  it.each(['A', 'B'])(
    'plays variant %s until Ctrl+C, and prints what the other commands need',
    async (variant) => {
      const { code } = await simulate(
        ['--variant', variant, '--balance', '7.0000'],
        async (env, shown) => {
          expect(env).toEqual({
            ...environmentOf(env.SMS_OTP_BASE_URL ?? '', 'A'),
            SMS_OTP_VARIANT: variant,
            SMS_OTP_PASSWORD: PASSWORD,
          });
          expect((await runCli(['balance'], { env })).stdout).toBe('7.0000\n');
          expect((await runCli(['send', MOBILE, '--yes'], { env })).code).toBe(0);
          const inbox = /inbox +(\S+)/.exec(shown)?.[1] ?? '';
          expect(await (await fetch(inbox)).text()).toContain('<html');
        },
      );
      expect(code).toBe(0);
    },
  );

  it('takes the variant and the account of the environment, and shows no password of theirs', async () => {
    const own = { SMS_OTP_VARIANT: 'B', SMS_OTP_USERNAME: 'me', SMS_OTP_PASSWORD: 'my-own-secret' };
    const { stdout, stderr } = await simulate(
      [],
      async (env) => {
        expect(env.SMS_OTP_VARIANT).toBe('B');
        expect((await runCli(['balance'], { env: { ...own, ...env } })).code).toBe(0);
      },
      own,
    );
    expect(stdout + stderr).not.toContain('my-own-secret');
  });

  it('gives a number the pin it is told to, and takes it with its plus alone', async () => {
    await simulate(
      ['--fixed-pin', '+12025550123=4711', '--fixed-pin', '+12025550124=0815'],
      async (env, shown) => {
        for (const mobile of [MOBILE, '+12025550124'])
          await runCli(['send', mobile, '--yes'], { env });
        const inbox = await fetch(`${/inbox +(\S+)/.exec(shown)?.[1] ?? ''}/messages`);
        const texts = JSON.stringify(await inbox.json());
        expect(texts).toContain('4711');
        expect(texts).toContain('0815');
      },
    );
  });

  it.each([
    '12025550124=0815',
    '4711',
    '+12025550123',
    '+12025550123=',
    '+12025550123=123',
    '=4711',
    '+12025550123=47x1',
  ])('refuses the fixed pin %s without repeating it', async (text) => {
    const { code, stderr } = await runCli(['simulate', '--fixed-pin', text]);
    expect([code, stderr]).toEqual([2, expect.not.stringContaining(text)]);
  });

  it('makes calls go wrong', async () => {
    const faults = [
      '--fault',
      'balance=error:1006*1',
      '--fault',
      'pricing=html-502',
      '--no-lookup',
    ];
    await simulate(faults, async (env) => {
      expect((await runCli(['balance'], { env })).stderr).toContain('1006 Insufficient balance');
      expect((await runCli(['balance'], { env })).code).toBe(0);
      for (let time = 0; time < 2; time += 1)
        expect((await runCli(['pricing'], { env })).code).toBe(1);
      expect((await runCli(['lookup', MOBILE, '--yes'], { env })).stderr).toContain('2004');
    });
  });

  it.each([
    ['nonsense'],
    ['balance=nonsense'],
    ['nothing=reset'],
    ['balance=reset:5'],
    ['balance=latency'],
    ['balance=error:0'],
    ['balance=reset*0'],
  ])('refuses the fault %s', async (fault) => {
    const ended = await runCli(['simulate', '--fault', fault]);
    expect(ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--fault'),
    });
  });

  it('reports that the port is taken, and that an amount is invalid', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    closeLater(async () => {
      server.close();
      await once(server, 'close');
    });
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const taken = await runCli(['simulate', '--port', port]);
    expect(taken).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The port is in use.'),
    });
    const invalid = await runCli(['simulate', '--balance', 'much']);
    expect(invalid).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('balance must be a decimal'),
    });
  });
});
