import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { closeLater } from '../client/support/cleanup';
import { ROOT } from '../package/packed/repository';
import { FILE, only } from './support/audit';
import { makeFolder, type Folder } from './support/files';
import { type Ended, jsonOf, runCli } from './support/terminal';

describe('audit of a module', () => {
  const MODULE = 'test/cli/support/audited-app.ts';
  const env = { PATH: process.env.PATH, TEST_PASSWORD: 'a password of the tests' };

  function writeConfig(start: object): Folder {
    const folder = makeFolder();
    const user = { password: '$TEST_PASSWORD' };
    const config = {
      users: [
        { ...user, name: 'alice', phone: '+12025550123' },
        { ...user, name: 'bob', phone: '+13125550177' },
      ],
      jsonForms: true,
      login: { path: '/login' },
      code: { path: '/login/pin' },
      guarded: ['/account'],
      start: {
        arguments: ['--import', 'tsx'],
        gatewayVariables: { baseUrl: 'GATEWAY_URL' },
        ...start,
      },
    };
    folder.write(FILE, JSON.stringify(config));
    return folder;
  }

  async function auditModule(
    start: object,
    module = MODULE,
    holes: readonly string[] = ['open-by-accept'],
  ): Promise<Ended> {
    const config = `${writeConfig(start).path}/${FILE}`;
    const argv = ['audit', module, '--config', config, '--json', ...only(...holes)];
    const wait = async (ms: number): Promise<void> =>
      new Promise((resolve) => setTimeout(resolve, ms));
    return runCli(argv, { folder: ROOT, env, wait });
  }

  it('starts it with the address of the simulator and a port, and ends it', async () => {
    const ended = await auditModule({});
    expect(ended.stderr).toBe('0 holes, 0 inconclusive, 1 checks passed, 0 not applicable\n');
    expect(ended.code).toBe(0);
  });

  it('gives it the variables of the file', async () => {
    const ended = await auditModule({ environment: { FORGETS_GUARD: '1' } });
    expect(ended.code).toBe(1);
    expect(jsonOf(ended)).toMatchObject({ checks: [{ outcome: 'hole', hole: 'open-page' }] });
  });

  it('says so when it ends before it listens, with what it has printed but for secrets', async () => {
    const folder = makeFolder();
    folder.write(
      'app.cjs',
      `console.error('first'); console.error('the key is missing: ' + process.env.TEST_PASSWORD);
      console.log('to +1 (202) 555-0123'); process.exit(3);`,
    );
    const ended = await auditModule({ arguments: [] }, `${folder.path}/app.cjs`);
    expect(ended.code).toBe(2);
    const { error } = jsonOf(ended) as { error: { message: string; advice: string } };
    expect(error.message).toBe('The app ended before it listened.');
    expect(error.advice).toContain('  the key is missing: [hidden]');
    expect(error.advice).toContain('  to [hidden]');
    expect(ended.stdout + ended.stderr).not.toMatch(/a password of the tests|555/);
  });

  it('shows the last 40 lines of the app beside a 5xx, without a secret of the run', async () => {
    const environment = { FAILS_AT_CODE: '1' };
    const ended = await auditModule({ environment }, MODULE, ['code-in-answer']);
    expect(ended.code).toBe(2);
    const { error } = jsonOf(ended) as { error: { message: string; advice: string } };
    expect(error.message).toContain('closed after the right code');
    const printed = error.advice.slice(error.advice.indexOf('What the app printed last:'));
    expect(printed).toContain('  The code [hidden] of [hidden] failed');
    expect(printed).toContain('  cookie connect.sid=[hidden]');
    expect(printed).toContain('  Authorization: Bearer [hidden]');
    expect(printed.trimEnd().split('\n').length).toBeLessThanOrEqual(41);
    expect(ended.stdout).not.toMatch(/(?<![\d.:])\d{6}(?![\d.])/);
  });

  it('sends one message at most where the app has another gateway, and names the variable', async () => {
    const provider = await GatewaySimulator.start();
    closeLater(() => provider.close());
    const environment = {
      OWN_GATEWAY: provider.baseUrl,
      SMS_OTP_USERNAME: provider.username,
      SMS_OTP_PASSWORD: provider.password,
    };
    const ended = await auditModule({ environment }, MODULE, ['tells-user-names']);
    expect(ended.code).toBe(2);
    expect(jsonOf(ended)).toMatchObject({
      error: { advice: expect.stringContaining('from the variable GATEWAY_URL') },
    });
    expect(provider.outbox).toHaveLength(1);
  });

  it('waits 20 seconds for the app to listen', async () => {
    const folder = makeFolder();
    folder.write('app.cjs', 'setInterval(() => undefined, 1000);');
    let waitedMs = 0;
    const wait = (ms: number): Promise<void> => {
      waitedMs += ms;
      return Promise.resolve();
    };
    const config = `${writeConfig({ arguments: [] }).path}/${FILE}`;
    const argv = ['audit', `${folder.path}/app.cjs`, '--config', config];
    const { code, stderr } = await runCli(argv, { folder: ROOT, env, wait });
    expect([code, stderr]).toEqual([2, expect.stringContaining('within 20 seconds')]);
    expect(waitedMs).toBe(20_000);
  });

  it('refuses a port on which another program listens, and sends it nothing', async () => {
    let requests = 0;
    const other = createHttpServer((_req, res) => {
      requests += 1;
      res.end();
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    closeLater(() => new Promise((resolve) => other.close(() => resolve())));
    const { port } = other.address() as AddressInfo;
    const ended = await auditModule({ port });
    expect(ended.code).toBe(2);
    expect(jsonOf(ended)).toMatchObject({
      error: { message: `Port ${port} is in use: another program would be attacked.` },
    });
    expect(requests).toBe(0);
  });
});
