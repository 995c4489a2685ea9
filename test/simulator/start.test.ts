import { request } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { start } from './gateway';

const environment = process.env.NODE_ENV;

afterEach(() => {
  process.env.NODE_ENV = environment;
});

function getStatus(baseUrl: string, path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(baseUrl + path, { headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('where the simulator may run', () => {
  it('refuses production and says why', async () => {
    process.env.NODE_ENV = 'production';
    await expect(GatewaySimulator.start()).rejects.toThrow(/NODE_ENV is production/);
  });

  it.each([
    '0.0.0.0',
    '::',
    '192.168.1.10',
    'example.com',
    '127.0.0.1.example.com',
    '128.0.0.1',
    '',
  ])('refuses the host %j and says why', async (host) => {
    await expect(GatewaySimulator.start({ host })).rejects.toThrow(/must be a loopback address/);
  });

  it.each([
    ['127.0.0.2', /^http:\/\/127\.0\.0\.2:\d+$/],
    ['localhost', /^http:\/\/localhost:\d+$/],
  ])('serves on %s', async (host, pattern) => {
    const { sim } = await start({ host });
    expect(sim.baseUrl).toMatch(pattern);
    expect((await fetch(sim.inboxUrl)).status).toBe(200);
  });

  it.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '10.0.0.1',
  ])('refuses requests for the host %s', async (host) => {
    const { sim } = await start();
    for (const path of ['/inbox', '/inbox/events', '/inbox/messages', '/apis/auth', '/']) {
      expect(await getStatus(sim.baseUrl, path, host)).toBe(403);
    }
  });

  it.each(['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '127.9.9.9', '[::1]', '[::1]:80'])(
    'answers requests for the host %s',
    async (host) => {
      const { sim } = await start();
      expect(await getStatus(sim.baseUrl, '/inbox', host)).toBe(200);
    },
  );
});

describe('options', () => {
  it.each([
    ['variant', { variant: 'C' }],
    ['port', { port: 65_536 }],
    ['username', { username: '' }],
    ['balance', { balance: 'much' }],
    ['pinDigits', { pinDigits: 3 }],
    ['fixedPins', { fixedPins: { '+12025550123': 'abc' } }],
    ['readings.mobileAs', { readings: { mobileAs: 'roman' } }],
    ['readings.unheardOf', { readings: { unheardOf: true } }],
    ['unheardOf', { unheardOf: true }],
    ['now', { now: 5 }],
    ['randomness', { randomness: {} }],
    ['randomness', { randomness: { bytes: 5, integer: 5 } }],
    ['unknownDestinations', { unknownDestinations: ['+49'] }],
    ['readings.numericMembers', { readings: { numericMembers: { mobile: 'roman' } } }],
    ['readings.httpStatusByCode', { readings: { httpStatusByCode: { 2103: 99 } } }],
    ['readings.validityRangeB', { readings: { validityRangeB: { min: 600, max: 60 } } }],
    ['readings', { readings: [] }],
    ['options', null],
  ])('refuses a wrong %s, names it and shows no value', async (name, options) => {
    // What a caller without types can hand in.
    const failed = GatewaySimulator.start(options as never);
    await expect(failed).rejects.toThrow(TypeError);
    await expect(failed).rejects.toThrow(
      new RegExp(`^GatewaySimulator: (unknown option )?${name}\\b`),
    );
    await expect(failed).rejects.not.toThrow(/12025550123|abc|much|roman|2103/);
  });

  it('suggests the name that was probably meant', async () => {
    // What a caller without types can pass.
    const failed = GatewaySimulator.start({ readings: { mobleAs: 'plus' } } as never);
    await expect(failed).rejects.toThrow(
      /unknown option readings\.mobleAs, did you mean mobileAs\?/,
    );
  });

  it('fills in the documented defaults', async () => {
    const { sim } = await start();
    expect([sim.variant, sim.username, sim.password]).toEqual([
      'A',
      'demo',
      'demo-gateway-password',
    ]);
    expect(sim.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sim.inboxUrl).toBe(`${sim.baseUrl}/inbox`);
  });

  it('says when the port is taken', async () => {
    const { sim } = await start();
    const port = Number(new URL(sim.baseUrl).port);
    await expect(GatewaySimulator.start({ port })).rejects.toThrow(/EADDRINUSE/);
  });
});
