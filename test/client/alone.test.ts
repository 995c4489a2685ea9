import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import manifest from '../../package.json';
import { errorOf, startGateway, startSimulator } from './support/gateway';
import { sendPayload, startWireServer } from './support/wire-server';

it('of 300 calls at once 50 run, 200 wait and 50 are refused', async () => {
  // On a busy machine this many calls take longer than a balance may.
  const { client } = await startGateway('A', { timeoutMs: 60_000 });
  await client.warmUp();
  const calls = Array.from({ length: 300 }, () => client.otp.balance());
  const ended = await Promise.allSettled(calls);
  const refused = ended.flatMap((end) =>
    end.status === 'rejected' ? [end.reason as unknown] : [],
  );
  expect(refused).toHaveLength(50);
  for (const error of refused)
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_BUSY', mayHaveArrived: false });
});

it('a client closes at the end of an `await using` block', async () => {
  const { client } = await startGateway('A');
  {
    await using mine = client;
    await mine.otp.balance();
  }
  expect(await errorOf(client.otp.balance())).toMatchObject({
    code: 'ERR_GATEWAY_BUSY',
    message: expect.stringContaining('closed'),
  });
});

it('a process ends without close()', async () => {
  const { baseUrl, username, password, variant } = await startSimulator({ variant: 'A' });
  const options = JSON.stringify({ baseUrl, username, password, variant });
  const script = `const { GatewayClient } = require('./src/client/index.ts');
    new GatewayClient(${options}).otp.balance().then(({ balance }) => console.log(balance));`;
  const argv = ['--require', 'tsx/cjs', '--eval', script];
  const cwd = join(__dirname, '../..');
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd, timeout: 60_000 });
  expect(stdout).toBe('100.0000\n');
});

it('every request names the package and its version', async () => {
  const wire = await startWireServer((response) => sendPayload(response, { balance: '1' }));
  const account = { baseUrl: wire.baseUrl, variant: 'A', username: 'u', password: 'p' } as const;
  await using client = new GatewayClient(account);
  await client.otp.balance();
  for (const { headers } of [...wire.requests, ...wire.authentications])
    expect(headers['user-agent']).toBe(`passport-sms-otp/${manifest.version}`);
});
