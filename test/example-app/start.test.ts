import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, expect, it } from '@jest/globals';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { readPin, Visitor } from './visitor';

const ROOT = join(__dirname, '../..');
const TIMEOUT_MS = 60_000;

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Empty ones go before what a developer's own `.env` says. */
const NO_SETTINGS = Object.fromEntries(
  ['SMS_OTP_BASE_URL', 'SMS_OTP_USERNAME', 'SMS_OTP_PASSWORD', 'SMS_OTP_VARIANT', 'SMS_OTP_NUMBERS_AS']
    .concat('ALICE_PHONE', 'BOB_PHONE', 'ALLOWED_COUNTRIES', 'TRUST_PROXY', 'SESSION_SECRET', 'NODE_ENV')
    .map((name) => [name, '']),
);

const children: Child[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(settings: Record<string, string>): {
  child: Child;
  output: () => string;
  ended: Promise<unknown[]>;
} {
  const child = spawn(process.execPath, ['--import', 'tsx', 'example-app/start.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...NO_SETTINGS, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  return { child, output: () => output, ended: once(child, 'close') };
}

/** The address of the app, once it has said everything; whatever it says instead, when it ends. */
async function waitForAddress(child: Child, output: () => string): Promise<string> {
  while (!output().includes('Ctrl+C') && child.exitCode === null)
    await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
  return /http:\/\/localhost:\d+/.exec(output())?.[0] ?? output();
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  'starts, tells where everything is, and stops cleanly at %s',
  async (signal) => {
    const { child, output, ended } = start({ PORT: '0' });
    const address = await waitForAddress(child, output);
    expect(output()).toContain('alice or bob, password demo-password');
    const [inbox = ''] = /http:\/\/127\.0\.0\.1:\d+\/inbox/.exec(output()) ?? [];
    expect((await fetch(`${address}/login`)).status).toBe(200);
    expect((await fetch(inbox)).status).toBe(200);
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
    expect(output()).toContain('Stopped.');
  },
  TIMEOUT_MS,
);

it(
  'texts through the gateway that is named, to the phones that are given, and starts no simulator',
  async () => {
    const simulator = await GatewaySimulator.start({ variant: 'B', readings: { numericMembers: 'number' } });
    const { child, output, ended } = start({
      PORT: '0',
      SMS_OTP_BASE_URL: simulator.baseUrl,
      SMS_OTP_USERNAME: simulator.username,
      SMS_OTP_PASSWORD: simulator.password,
      SMS_OTP_VARIANT: 'B',
      SMS_OTP_NUMBERS_AS: 'number',
      BOB_PHONE: '+4915123456789',
    });
    const address = await waitForAddress(child, output);
    expect(output()).not.toContain('inbox');
    const visitor = new Visitor({ app: address, simulator });
    await visitor.givePassword('bob');
    await visitor.giveCode(readPin({ simulator }, '+4915123456789'));
    expect((await visitor.open('/account')).text).toContain('Hello, Bob');
    child.kill('SIGTERM');
    await ended;
    await simulator.close();
  },
  TIMEOUT_MS,
);

it(
  'ends with a list of what is wrong, and exit code 1',
  async () => {
    const { output, ended } = start({ PORT: 'canary', SMS_OTP_VARIANT: 'Z' });
    expect(await ended).toEqual([1, null]);
    expect(output()).toBe(
      'The configuration is not usable:\n' +
        '  - PORT must be a whole number from 0 to 65535\n' +
        '  - SMS_OTP_VARIANT must be A or B\n',
    );
  },
  TIMEOUT_MS,
);

it(
  'says when the port is taken, and ends',
  async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // a TCP server's address is never a string
    const { output, ended } = start({ PORT: String(port) });
    expect(await ended).toEqual([1, null]);
    expect(output()).toContain(`PORT ${port} cannot be had (EADDRINUSE)`);
    other.close();
  },
  TIMEOUT_MS,
);
