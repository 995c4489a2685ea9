import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '../support/wait-until';
import { environmentOf, MOBILE, openAccount, PASSWORD } from './support/account';
import { jsonOf, runCli } from './support/terminal';

describe.each(['A', 'B'] as const)('with a gateway of variant %s', (variant) => {
  it('balance shows the money', async () => {
    const { env } = await openAccount({ variant, balance: '12.5000' });
    expect(await runCli(['balance'], { env })).toEqual({
      code: 0,
      stdout: '12.5000\n',
      stderr: '',
    });
    expect(jsonOf(await runCli(['balance', '--json'], { env }))).toEqual({ balance: '12.5000' });
  });

  it('send texts a code and tells how to check it; validate checks it', async () => {
    const { env, simulator } = await openAccount({ variant });
    const sent = await runCli(['send', '+1 (202) 555-0123', '--yes', '--message', 'Code [PIN]'], {
      env,
    });
    expect(sent.code).toBe(0);
    expect(simulator.outbox).toMatchObject([
      { mobile: MOBILE, text: `Code ${simulator.lastPin(MOBILE)}` },
    ]);
    const [, id = ''] = /validate (\S+) \+12025550123/.exec(sent.stdout) ?? [];
    const check = ['validate', id, MOBILE];
    expect(await runCli(check, { env, input: '0000\n' })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^refused/),
    });
    const right = await runCli(check, { env, input: `${simulator.lastPin(MOBILE)}\n` });
    expect(right).toEqual({ code: 0, stdout: 'right\n', stderr: '' });
  });

  it('validate --json says yes or no, with the code of the gateway', async () => {
    const { env, simulator } = await openAccount({ variant });
    // The command has written its JSON.
    const { id } = jsonOf(await runCli(['send', MOBILE, '--yes', '--json'], { env })) as {
      id: string;
    };
    const check = ['validate', id, MOBILE, '--json'];
    const wrong = await runCli(check, { env, input: '0000' });
    expect([wrong.code, jsonOf(wrong)]).toEqual([
      1,
      { validated: false, gatewayCode: variant === 'A' ? 2107 : 2120 },
    ]);
    const right = await runCli(check, { env, input: simulator.lastPin(MOBILE) ?? '' });
    expect([right.code, jsonOf(right)]).toEqual([0, { validated: true }]);
  });

  it('lookup shows what is known, in JSON by camelCase names, and neither IMSI nor MSC', async () => {
    const { env, simulator } = await openAccount({ variant });
    const { imsi, msc } = simulator.subscribers.get(MOBILE) ?? { imsi: '', msc: '' };
    const shown = await runCli(['lookup', MOBILE, '--yes'], { env });
    const json = await runCli(['lookup', MOBILE, '--yes', '--json'], { env });
    expect(shown.stdout).toContain('United States');
    expect(jsonOf(json)).toMatchObject({ phone: MOBILE, status: 'valid', cost: '0.0050' });
    expect(Object.keys(jsonOf(json) as object)).toEqual([
      ...['phone', 'status', 'advancedStatus', 'country', 'operator', 'mcc', 'mnc', 'cost'],
    ]);
    expect(imsi).toMatch(/^[0-9]{15}$/);
    expect(shown.stdout + json.stdout).not.toContain(imsi);
    expect(shown.stdout + json.stdout).not.toContain(msc);
  });

  it('an error of the gateway ends with 1 and says what to do', async () => {
    const { env } = await openAccount({ variant, mayLookUp: false });
    const { code, stdout, stderr } = await runCli(['lookup', MOBILE, '--yes', '--json'], { env });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { advice: expect.stringMatching(/enable number lookups/) },
    });
    expect(stderr).toContain('2004 HLR unavailable');
  });
});

describe('money', () => {
  it.each([['y\n'], ['YES\n']])('is spent after %j', async (input) => {
    const { env, simulator } = await openAccount();
    const { code, stderr } = await runCli(['send', MOBILE], { env, input, isTerminal: true });
    expect(code).toBe(0);
    expect(stderr).toContain(`Send a code to ${MOBILE}? It costs money.`);
    expect(simulator.outbox).toHaveLength(1);
  });

  it.each([['n\n'], ['\n'], ['yeah\n'], ['']])('is not spent after %j', async (input) => {
    const { env, simulator } = await openAccount();
    for (const name of ['send', 'lookup']) {
      const { code, stderr } = await runCli([name, MOBILE], { env, input, isTerminal: true });
      expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was done.')]);
    }
    expect(simulator.stats()).toMatchObject({ sent: 0 });
  });

  it('is not spent by a script that does not say --yes', async () => {
    const { env, simulator } = await openAccount();
    const { code, stderr } = await runCli(['send', MOBILE], { env, input: 'y\n' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('add --yes')]);
    expect(simulator.outbox).toEqual([]);
  });
});

describe('Ctrl+C', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    // Nobody reads the output any more.
    [undefined, 1],
  ])('as %s ends each command while it waits for the gateway, with %i', async (reason, code) => {
    const { env, simulator } = await openAccount();
    simulator.failNext('any', 'no-answer', Infinity);
    for (const [index, name] of ['balance', 'pricing', 'doctor'].entries()) {
      const interruption = new AbortController();
      const ended = runCli([name, '--json'], { env, signal: interruption.signal });
      await waitUntil(() => simulator.stats().calls.auth > index);
      interruption.abort(reason);
      expect(await ended).toEqual({ code, stdout: '', stderr: 'Interrupted.\n' });
    }
  });

  it('is an answer to a question: no', async () => {
    const { env, simulator } = await openAccount();
    const ended = await runCli(['send', MOBILE], {
      env,
      signal: AbortSignal.abort('SIGINT'),
      isTerminal: true,
      input: 'y\n',
    });
    expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('Interrupted.') });
    expect(simulator.outbox).toEqual([]);
  });
});

describe('the password', () => {
  it('comes from standard input where the environment has none, and the code after it', async () => {
    const { env, simulator } = await openAccount();
    const { SMS_OTP_PASSWORD: _, ...rest } = env;
    const sent = await runCli(['send', MOBILE, '--yes', '--password-stdin', '--json'], {
      env: rest,
      input: PASSWORD,
    });
    // The command has written its JSON.
    const { id } = jsonOf(sent) as { id: string };
    const input = `${PASSWORD}\r\n${simulator.lastPin(MOBILE)}\r\n`;
    const checked = await runCli(['validate', id, MOBILE, '--password-stdin'], {
      env: rest,
      input,
    });
    expect(checked.stdout).toBe('right\n');
  });

  it('is missed when standard input has none, and a flood of text is no password', async () => {
    const env = environmentOf('http://127.0.0.1:1', 'A');
    expect(await runCli(['balance', '--password-stdin'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no password/),
    });
    const flood = await runCli(['balance', '--password-stdin'], {
      env,
      input: 'x'.repeat(1_000_000),
    });
    expect(flood).toMatchObject({ code: 2, stderr: expect.stringMatching(/too long/) });
  });
});
