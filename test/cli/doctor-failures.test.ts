import { createServer, type Server } from 'node:https';
import { describe, expect, it } from '@jest/globals';
import type { Fault, FaultName } from 'passport-sms-otp/simulator';
import { selfSign } from '../client/support/certificate';
import { closeLater } from '../client/support/cleanup';
import { closeServer, portOf } from '../client/support/wire-server';
import { environmentOf, openAccount, PASSWORD } from './support/account';
import { resultOf, runDoctor, testedOf } from './support/doctor';
import { makeFolder } from './support/files';

const variants = ['A', 'B'] as const;

async function startSecureServer(host: string): Promise<{ port: number; cert: string }> {
  const pair = selfSign(host);
  const server: Server = createServer(pair, (_request, response) => void response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => closeServer(server));
  return { port: portOf(server), cert: pair.cert };
}

describe.each(variants)('doctor (%s) cannot use a gateway', (variant) => {
  it('where nothing listens', async () => {
    const { env, simulator } = await openAccount({ variant });
    await simulator.close();
    const { code, results } = await runDoctor({ env });
    expect(testedOf(results)).toEqual([
      {
        check: 'gateway',
        status: 'fail',
        detail: 'The OTP gateway could not be reached (auth): ECONNREFUSED',
        advice: 'Nothing listens there. Check host and port in SMS_OTP_BASE_URL.',
      },
    ]);
    expect(code).toBe(1);
  });

  it('and every check that needs the gateway is reported as not tested', async () => {
    const { env, simulator } = await openAccount({ variant });
    await simulator.close();
    const { results } = await runDoctor({ env });
    const untested = results
      .filter(({ status }) => status === 'not-tested')
      .map(({ check }) => check);
    expect(untested).toEqual([
      ...['credentials', 'clock', 'variant', 'balance', 'prices', 'otp', 'lookup', 'store'],
    ]);
  });

  it('that refuses the credentials', async () => {
    const { env } = await openAccount({ variant, password: 'another-password' });
    const { code, results, output } = await runDoctor({ env });
    expect(testedOf(results)).toEqual([
      { check: 'gateway', status: 'pass', detail: 'answers', advice: null },
      {
        check: 'credentials',
        status: 'fail',
        detail: 'refused (1004)',
        advice: 'Set SMS_OTP_USERNAME and SMS_OTP_PASSWORD to those of the API account.',
      },
    ]);
    expect(code).toBe(1);
    expect(output).not.toContain(PASSWORD);
  });

  it.each<[string, Fault | FaultName, RegExp, RegExp]>([
    [
      'that redirects',
      'redirect',
      /it is a redirect$/,
      /Set SMS_OTP_BASE_URL to the address it redirects to/,
    ],
    [
      'that answers with a page',
      'html-502',
      /its content type is not JSON$/,
      /a proxy, a login page, another server/,
    ],
    [
      'that answers with garbage',
      { kind: 'body', status: 200, body: '{"hello":"there"}' },
      /fields not as expected; check the variant$/,
      /Something other than the gateway answers/,
    ],
    [
      'that ends half way',
      'half-answer',
      /it is incomplete$/,
      /Something other than the gateway answers/,
    ],
    ['that resets', 'reset', /could not be reached/, /a firewall or a proxy/],
    [
      'that does not answer in time',
      'no-answer',
      /did not answer within 1000 ms/,
      /raise --timeout/,
    ],
    ['that is away', { kind: 'error', code: 2121 }, /2121/, /Try again later/],
    ['that is overloaded', { kind: 'status', status: 503 }, /503/, /Try again later/],
    [
      'that has no such path',
      { kind: 'error', code: 1007 },
      /no \/apis\/auth/,
      /the path in SMS_OTP_BASE_URL/,
    ],
  ])('%s', async (_title, fault, detail, advice) => {
    const { env, simulator } = await openAccount({ variant });
    simulator.failNext('auth', fault, Infinity);
    const { code, results } = await runDoctor({ env }, '--timeout', '1');
    expect(testedOf(results)).toEqual([
      {
        check: 'gateway',
        status: 'fail',
        detail: expect.stringMatching(detail),
        advice: expect.stringMatching(advice),
      },
    ]);
    expect(code).toBe(1);
  });

  it('whose balance is at neither path, and warns', async () => {
    const { env, simulator } = await openAccount({ variant });
    simulator.failNext('balance', { kind: 'error', code: 1007 }, Infinity);
    const { results } = await runDoctor({ env });
    expect(resultOf(results, 'variant')).toMatchObject({
      check: 'variant',
      status: 'warn',
      detail: expect.stringContaining('neither A nor B'),
    });
    expect(resultOf(results, 'balance').detail).toBe('not tested: the variant is not known');
  });

  it('that is slow, and warns', async () => {
    const { env } = await openAccount({ variant });
    let now = Date.now();
    const { code, results } = await runDoctor({ env, now: () => (now += 2_500) });
    expect(resultOf(results, 'gateway')).toMatchObject({
      ...{
        status: 'warn',
        detail: 'answers in 2500 ms',
        advice: expect.stringContaining('Every login waits'),
      },
    });
    expect(code).toBe(0);
  });
});

describe('doctor and TLS', () => {
  it('a certificate for another name', async () => {
    const { port, cert } = await startSecureServer('other.example');
    const folder = makeFolder();
    folder.write('ca.pem', cert);
    const env = environmentOf(`https://127.0.0.1:${port}`, 'A');
    const { results } = await runDoctor({ env, folder: folder.path }, '--ca', 'ca.pem');
    expect(resultOf(results, 'gateway')).toMatchObject({
      ...{ status: 'fail', detail: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID') },
      advice: expect.stringContaining('The certificate is for another name'),
    });
  });

  it('a certificate nobody vouches for', async () => {
    const { port } = await startSecureServer('127.0.0.1');
    const { results } = await runDoctor({ env: environmentOf(`https://127.0.0.1:${port}`, 'A') });
    expect(resultOf(results, 'gateway')).toMatchObject({
      ...{ status: 'fail', advice: expect.stringContaining('--ca <file>') },
    });
  });

  it('no TLS at all', async () => {
    const { simulator } = await openAccount();
    const env = environmentOf(simulator.baseUrl.replace('http:', 'https:'), 'A');
    const { results } = await runDoctor({ env });
    expect(resultOf(results, 'gateway')).toMatchObject({
      ...{ status: 'fail', advice: expect.stringContaining('The server does not speak TLS') },
    });
  });
});
