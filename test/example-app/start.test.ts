import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { describeWithService } from '../services/describe-with-service';
import type { Service } from '../services/service';
import { redis } from './backends';
import { endChild, isRunning, startByNpm, startChild, type ChildSite } from './child-site';
import { settingsOf } from './run-site';
import { readPin, Visitor } from './visitor';

const startByNode = (settings: Record<string, string>): ChildSite => startChild(settings);

const children: ChildSite[] = [];

afterEach(async () => {
  await Promise.all(children.splice(0).map(endChild));
});

function start(settings: Record<string, string> = {}, by = startByNode): ChildSite {
  const child = by(settings);
  children.push(child);
  return child;
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  'starts, tells where everything is, and stops cleanly at %s',
  async (signal) => {
    const child = start();
    const address = await child.address();
    expect(child.output()).toMatch(/alice, bob \(.*\) or carol \(.*\); password demo-password/);
    expect(child.output()).toMatch(/Stop with Ctrl\+C\.\n$/);
    const [inbox = ''] = /http:\/\/127\.0\.0\.1:\d+\/inbox/.exec(child.output()) ?? [];
    expect((await fetch(`${address}/login`)).status).toBe(200);
    expect((await fetch(inbox)).status).toBe(200);
    child.kill(signal);
    expect(await child.ended).toEqual([0, null]);
    expect(child.output()).toContain('Stopped.');
  },
);

/** So many moments from the start of the process to a little after it is ready. */
const MOMENTS = 10;

describeWithService('redis')('SIGTERM at ten moments', () => {
  let server: Service;
  beforeAll(async () => {
    server = await redis.start();
  });
  afterAll(() => server.close());

  it.each([
    ['1', 'node', startByNode],
    ['2', 'node', startByNode],
    ['2', 'npm run example', startByNpm],
  ])(
    'ends the app and its workers within two seconds (%s processes, %s)',
    async (workers, _command, by) => {
      const settings = { WORKERS: workers, REDIS_URL: redis.addressOf(server.port) };
      const startedAt = performance.now();
      await start(settings, by).address();
      const readyMs = performance.now() - startedAt;
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const child = start(settings, by);
        await wait((moment / (MOMENTS - 2)) * readyMs);
        const askedAt = performance.now();
        child.kill('SIGTERM');
        const end = await Promise.race([child.ended, wait(10_000, 'it still runs')]);
        expect(performance.now() - askedAt).toBeLessThan(2_000);
        // Until the code of the app runs, the signal itself ends the process.
        expect([
          [0, null],
          [null, 'SIGTERM'],
        ]).toContainEqual(end);
        expect(child.output()).not.toMatch(/EPIPE|Error|Another one starts/);
        expect(isRunning(-child.processId)).toBe(false);
      }
    },
  );
});

it('stops within two seconds while a client keeps its connection and a response hangs', async () => {
  const child = start();
  const { port } = new URL(await child.address());
  const agent = new Agent({ keepAlive: true });
  await new Promise((resolve) => {
    get({ port, agent, host: '127.0.0.1', path: '/login' }, (answer) => {
      answer.on('end', resolve).resume();
    });
  });
  // A request whose body never comes.
  const slow = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  slow.write('POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n');
  await wait(50);
  const askedAt = performance.now();
  child.kill('SIGTERM');
  expect(await child.ended).toEqual([0, null]);
  expect(performance.now() - askedAt).toBeLessThan(2_000);
  agent.destroy();
  slow.destroy();
});

it('texts through the gateway that is named, to the phones that are given, and starts no simulator', async () => {
  const simulator = await GatewaySimulator.start({
    variant: 'B',
    readings: { numericMembers: 'number' },
  });
  const child = start({
    ...settingsOf(simulator),
    SMS_OTP_VARIANT: 'B',
    SMS_OTP_NUMBERS_AS: 'number',
    BOB_PHONE: '+4915123456789',
  });
  const address = await child.address();
  expect(child.output()).not.toContain('inbox');
  const visitor = new Visitor({ app: address, simulator });
  await visitor.givePassword('bob');
  await visitor.giveCode(readPin({ simulator }, '+4915123456789'));
  expect((await visitor.open('/account')).text).toContain('Hello, Bob');
  child.kill('SIGTERM');
  await child.ended;
  await simulator.close();
});

it('makes and compares the codes itself with GATEWAY=sms, and texts them to the same inbox page', async () => {
  const child = start({ GATEWAY: 'sms' });
  const visitor = new Visitor({ app: await child.address() });
  const [inbox = ''] = /http:\/\/127\.0\.0\.1:\d+\/inbox/.exec(child.output()) ?? [];
  await visitor.givePassword();
  const messages = (await (await fetch(`${inbox}/messages`)).json()) as { pin: string }[];
  expect(messages).toEqual([expect.objectContaining({ mobile: '+12025550123', id: '' })]);
  const pin = messages[0]?.pin ?? '';
  await visitor.giveCode(pin === '000000' ? '000001' : '000000');
  expect((await visitor.open('/account')).status).not.toBe(200);
  await visitor.giveCode(pin);
  expect((await visitor.open('/account')).text).toContain('Hello, Alice');
});

it('ends with a list of what is wrong, and exit code 1', async () => {
  const { output, ended } = start({ PORT: 'canary', SMS_OTP_VARIANT: 'Z', WORKERS: '2' });
  expect(await ended).toEqual([1, null]);
  expect(output()).toBe(
    'The configuration is not usable:\n' +
      '  - PORT must be a whole number from 0 to 65535\n' +
      '  - SMS_OTP_VARIANT must be A or B\n' +
      '  - WORKERS above 1 needs REDIS_URL: in memory each process would count on its own\n',
  );
});

it('says when the port is taken, and ends', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo; // a TCP server's address is never a string
  const { output, ended } = start({ PORT: String(port) });
  expect(await ended).toEqual([1, null]);
  expect(output()).toContain(`PORT ${port} cannot be used (EADDRINUSE)`);
  other.close();
});

it.each(['1', '2'])(
  'says when REDIS_URL names no server, and ends (%s processes)',
  async (workers) => {
    // Nobody listens on port 1 of this machine.
    const { output, ended } = start({
      REDIS_URL: 'redis://canary:canary@127.0.0.1:1',
      WORKERS: workers,
    });
    expect(await ended).toEqual([1, null]);
    expect(output()).toContain('REDIS_URL names a ');
    expect(output()).toContain('that cannot be used (ECONNREFUSED)');
    expect(output()).not.toMatch(/canary|Error:| at /);
  },
);
