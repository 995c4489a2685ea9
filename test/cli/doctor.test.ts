import { describe, expect, it } from '@jest/globals';
import type { DoctorResult } from '../../src/cli/doctor/check-result';
import { MOBILE, openAccount } from './support/account';
import { resultOf, runDoctor, testedOf } from './support/doctor';
import { runCli } from './support/terminal';

describe.each(['A', 'B'] as const)('doctor with a gateway of variant %s in order', (variant) => {
  it('passes every check, spends nothing and sends nothing', async () => {
    const { env, simulator } = await openAccount({ variant });
    const { code, results } = await runDoctor(
      { env },
      ...['--number', MOBILE, '--template', 'Code [PIN]'],
    );
    expect(testedOf(results).filter(({ status }) => status !== 'pass')).toEqual([]);
    expect(results.map(({ check }) => check)).toEqual([
      ...[
        'gateway',
        'credentials',
        'clock',
        'variant',
        'balance',
        'prices',
        'otp',
        'lookup',
        'price',
        'template',
        'store',
      ],
    ]);
    expect(code).toBe(0);
    expect(simulator.stats()).toMatchObject({ sent: 0 });
    expect(await runCli(['balance'], { env })).toMatchObject({ stdout: '100.0000\n' });
  });

  it('finds the variant out where none is set', async () => {
    const { env } = await openAccount({ variant });
    const { SMS_OTP_VARIANT: _, ...rest } = env;
    const { code, results } = await runDoctor({ env: rest });
    const expected =
      variant === 'A'
        ? { status: 'pass', detail: 'A, the default without SMS_OTP_VARIANT' }
        : { status: 'fail', detail: 'the gateway is variant B', advice: 'Set SMS_OTP_VARIANT=B.' };
    expect(resultOf(results, 'variant')).toMatchObject(expected);
    expect(code).toBe(variant === 'A' ? 0 : 1);
  });

  it('says which variant it is where the other one is set, and goes on with the right one', async () => {
    const { env } = await openAccount({ variant });
    const other = variant === 'A' ? 'B' : 'A';
    const { code, results } = await runDoctor({ env: { ...env, SMS_OTP_VARIANT: other } });
    expect(testedOf(results).filter(({ status }) => status !== 'pass')).toEqual([
      {
        check: 'variant',
        status: 'fail',
        detail: `the gateway is variant ${variant}, not ${other}`,
        advice: `Set SMS_OTP_VARIANT=${variant}.`,
      },
    ]);
    expect(resultOf(results, 'balance').status).toBe('pass');
    expect(code).toBe(1);
  });

  it('tests both permissions with --send and --lookup, and knows the price of the network', async () => {
    const { env, simulator } = await openAccount({ variant });
    const { code, results } = await runDoctor(
      { env },
      ...['--number', MOBILE, '--send', '--lookup', '--yes'],
    );
    expect(code).toBe(0);
    expect(resultOf(results, 'otp').detail).toBe(`a code was sent to ${MOBILE}`);
    expect(resultOf(results, 'lookup').detail).toMatch(/valid, .*, United States$/);
    expect(resultOf(results, 'price').detail).toMatch(
      /^0\.00[0-9]{2} to \+12025550123, its network's$/,
    );
    expect(simulator.outbox).toHaveLength(1);
  });

  it('sends with --send what a login sends: a validity and a message, in the forms that are chosen', async () => {
    const readings = { numericMembers: { mobile: 'string', validity: 'number' } } as const;
    const { env, simulator } = await openAccount({ variant, readings });
    const argv = ['--number', MOBILE, '--send', '--yes'];
    const wrong = await runDoctor({ env }, ...argv);
    expect(resultOf(wrong.results, 'otp')).toMatchObject({
      status: 'fail',
      advice: expect.stringContaining('SMS_OTP_NUMBERS_AS=mobile:string,validity:number'),
    });
    const mixed = { ...env, SMS_OTP_NUMBERS_AS: 'mobile:string,validity:number' };
    const { results } = await runDoctor({ env: mixed }, ...argv);
    expect(resultOf(results, 'otp').detail).toBe(`a code was sent to ${MOBILE}`);
    expect(simulator.outbox).toHaveLength(1);
  });

  it('reports that sending and looking up are not permitted', async () => {
    const { env } = await openAccount({ variant, maySendOtp: false, mayLookUp: false });
    const { code, results } = await runDoctor(
      { env },
      ...['--number', MOBILE, '--send', '--lookup', '--yes'],
    );
    const advice = variant === 'A' ? /Try again later/ : /enable the OTP service/;
    expect(resultOf(results, 'otp')).toMatchObject({
      status: 'fail',
      advice: expect.stringMatching(advice),
    });
    expect(resultOf(results, 'lookup')).toMatchObject({
      ...{ status: 'fail', advice: expect.stringContaining('enable number lookups') },
    });
    expect(code).toBe(1);
  });

  it('reports a refused permission without spending money when free calls are refused, too', async () => {
    const { env, simulator } = await openAccount({ variant });
    simulator.failNext('validate', { kind: 'error', code: 2100 });
    simulator.failNext('hlr-balance', { kind: 'error', code: 2004 });
    const { code, results } = await runDoctor({ env });
    expect(resultOf(results, 'otp')).toMatchObject({
      ...{ status: 'fail', advice: expect.stringContaining('enable the OTP service') },
    });
    // Lookups are optional.
    expect(resultOf(results, 'lookup')).toMatchObject({
      ...{ status: 'warn', advice: expect.stringContaining('enable number lookups') },
    });
    expect(code).toBe(1);
  });

  it('reports permissions that only a paid call can test as not tested', async () => {
    const { env } = await openAccount({ variant, maySendOtp: false, mayLookUp: false });
    const { code, results, output } = await runDoctor({ env });
    for (const check of ['otp', 'lookup']) {
      expect(resultOf(results, check)).toEqual({
        check,
        status: 'not-tested',
        detail: expect.stringMatching(
          /^not tested: the free check found no problem, but only a paid one proves that \w+ work$/,
        ),
        advice: expect.stringContaining('for money'),
      });
    }
    expect(resultOf(results, 'store').detail).toBe(
      'not tested: REDIS_URL and DATABASE_URL are not set',
    );
    expect(code).toBe(0);
    expect(output).not.toContain('"fail"');
  });

  it('shows the balance in the currency of the account', async () => {
    const { env } = await openAccount({ variant });
    const { results } = await runDoctor({ env });
    expect(resultOf(results, 'balance').detail).toMatch(/^\d+\.\d{4} US Dollar, \d+ messages at/);
  });

  it.each([
    ['0.0000', 'fail', 'Top up the account: nothing can be sent.'],
    ['0.5000', 'warn', 'Top up the account soon.'],
  ])('judges a balance of %s: %s', async (balance, status, advice) => {
    const { env } = await openAccount({ variant, balance });
    const { results } = await runDoctor({ env });
    expect(resultOf(results, 'balance')).toMatchObject({ status, advice });
  });
});

describe('doctor', () => {
  it('warns of a clock that is ahead or behind', async () => {
    const { env } = await openAccount();
    for (const [seconds, words] of [
      [300, '300 s ahead of'],
      [-300, '300 s behind'],
    ] as const) {
      const { code, results } = await runDoctor({ env, now: () => Date.now() + seconds * 1_000 });
      const { status, detail, advice } = resultOf(results, 'clock');
      expect([code, status, advice]).toEqual([0, 'warn', expect.stringContaining('by NTP')]);
      expect(Math.abs(Number.parseInt(detail, 10) - 300)).toBeLessThanOrEqual(10);
      expect(detail).toContain(words.slice(6));
    }
  });

  it('warns of a price list that is empty or odd, or that cannot be had', async () => {
    const { env, simulator } = await openAccount();
    const body = (pricing: unknown) =>
      ({
        kind: 'body',
        status: 200,
        body: JSON.stringify({ status_code: 200, payload: { pricing } }),
      }) as const;
    simulator.failNext('pricing', body([]));
    simulator.failNext('pricing', body([{ mcc: '310', mnc: '260', price: '0.01' }, {}]));
    simulator.failNext('pricing', { kind: 'error', code: 2121 }, 2);
    const details: DoctorResult[] = [];
    for (let run = 0; run < 3; run += 1)
      details.push(resultOf((await runDoctor({ env })).results, 'prices'));
    expect(details.map(({ status }) => status)).toEqual(['warn', 'warn', 'warn']);
    expect(details.map(({ detail }) => detail)).toEqual([
      'the list is empty',
      '1 network, 1 invalid rows',
      expect.stringContaining('2121'),
    ]);
  });

  it('fails a gateway that accepts a code that was never sent', async () => {
    const { env, simulator } = await openAccount();
    simulator.failNext('validate', {
      kind: 'body',
      status: 200,
      body: '{"status_code":200,"payload":""}',
    });
    const { results } = await runDoctor({ env });
    expect(resultOf(results, 'otp')).toMatchObject({
      ...{ status: 'fail', advice: expect.stringContaining('Do not use this gateway') },
    });
  });

  it.each([
    ['Code', 'fail', /must contain \[PIN\] exactly once/],
    [`[PIN] ${'x'.repeat(160)}`, 'fail', /too long for one text message: 171 of 160/],
    [`[PIN] ł ${'x'.repeat(70)}`, 'fail', /of 70 \(ucs-2\).*ł/],
    ['[PIN] ł', 'pass', /12 of 70 \(ucs-2\)/],
  ])('measures the template %j: %s', async (template, status, detail) => {
    const { env } = await openAccount();
    const { results } = await runDoctor({ env }, '--template', template);
    expect(resultOf(results, 'template')).toMatchObject({
      status,
      detail: expect.stringMatching(detail),
    });
  });

  it('shows each finding on a line, what to do below it, and the totals', async () => {
    const { env } = await openAccount({ balance: '0.0000' });
    const { code, stdout } = await runCli(['doctor'], { env });
    expect(code).toBe(1);
    expect(stdout).toContain('  pass  credentials  accepted\n');
    expect(stdout).toContain(
      '  fail  balance      0.0000 US Dollar\n                     → Top up the account',
    );
    expect(stdout).toMatch(/\n {2}5 passed, 1 failed, 3 skipped\n$/);
  });

  it('asks before it spends money', async () => {
    const { env, simulator } = await openAccount();
    const argv = ['doctor', '--number', MOBILE, '--send', '--lookup'];
    const no = await runCli(argv, { env, input: 'n\n', isTerminal: true });
    expect([no.code, no.stdout]).toEqual([1, '']);
    expect(no.stderr).toContain(`Send a code to and look up ${MOBILE}? It costs money.`);
    expect(simulator.stats()).toMatchObject({ sent: 0 });
  });
});
