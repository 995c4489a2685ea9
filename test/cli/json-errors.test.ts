import { describe, expect, it } from '@jest/globals';
import { environmentOf, openAccount } from './support/account';
import { jsonOf, runCli } from './support/terminal';

const MOBILE = '+12025550123';
const nowhere = environmentOf('http://127.0.0.1:1', 'A');

describe('an error with --json has a code', () => {
  it.each<[string, string[], object, string, number]>([
    ['wrong usage', ['balance', '--jsn', '--json'], nowhere, 'ERR_WRONG_USAGE', 2],
    ['no such command', ['blance', '--json'], {}, 'ERR_WRONG_USAGE', 2],
    ['a variable that is not set', ['balance', '--json'], {}, 'ERR_WRONG_USAGE', 2],
    ['a gateway that is away', ['balance', '--json'], nowhere, 'ERR_GATEWAY_UNREACHABLE', 1],
    ['a file that is not there', ['balance', '--json', '--ca', 'x'], nowhere, 'ERR_FILE', 1],
    ['an empty input', ['balance', '--password-stdin', '--json'], {}, 'ERR_COMMAND_FAILED', 1],
    [
      'a store that is away',
      ['unlock', 'alice', '--json'],
      { REDIS_URL: 'redis://127.0.0.1:1' },
      'ERR_STORE',
      1,
    ],
  ])('%s', async (_title, argv, env, code, exitCode) => {
    const ended = await runCli(argv, { env: { ...env } });
    expect(ended.code).toBe(exitCode);
    const { error } = jsonOf(ended) as { error: object };
    expect(error).toMatchObject({ code, message: expect.any(String) });
    expect(Object.keys(error)).toEqual(['code', 'message', 'advice']);
  });

  it.each([2121, 2100, 1004])(
    'and the gateway code where there is one: %i',
    async (gatewayCode) => {
      const { env, simulator } = await openAccount();
      simulator.failNext('generate', { kind: 'error', code: gatewayCode });
      const ended = await runCli(['send', MOBILE, '--yes', '--json'], { env });
      expect(ended.code).toBe(1);
      expect(jsonOf(ended)).toMatchObject({
        error: { code: 'ERR_GATEWAY_REJECTED', gatewayCode },
      });
    },
  );

  it('without a gateway code where the gateway gave none', async () => {
    const { env, simulator } = await openAccount();
    simulator.failNext('generate', { kind: 'status', status: 503 });
    const ended = await runCli(['send', MOBILE, '--yes', '--json'], { env });
    const { error } = jsonOf(ended) as { error: object };
    expect(error).toHaveProperty('code', 'ERR_GATEWAY_REJECTED');
    expect(error).not.toHaveProperty('gatewayCode');
  });
});
