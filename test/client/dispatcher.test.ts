import { createServer } from 'node:https';

import { describe, expect, it } from '@jest/globals';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { Agent, MockAgent } from 'undici';
import { selfSign } from './support/certificate';
import { closeLater } from './support/cleanup';
import { throughProxy } from './support/dispatchers';
import { errorOf, MOBILE, startGateway, startSimulator, until } from './support/gateway';
import { startProxy } from './support/proxy';
import { closeServer, portOf, sendPayload, startWireServer, TOKENS } from './support/wire-server';

function clientOf(baseUrl: string, options: Partial<GatewayClientOptions> = {}): GatewayClient {
  const client = new GatewayClient({
    baseUrl,
    variant: 'A',
    username: 'u',
    password: 'p',
    ...options,
  });
  closeLater(() => client.close(0));
  return client;
}

describe('a ProxyAgent', () => {
  it('carries every call, by CONNECT', async () => {
    const simulator = await startSimulator({ variant: 'B' });
    const proxy = await startProxy();
    const { baseUrl, username, password } = simulator;
    const dispatcher = throughProxy(proxy.url);
    const client = clientOf(baseUrl, { variant: 'B', username, password, dispatcher });
    const { id } = await client.otp.generate({ mobile: MOBILE });
    const pin = simulator.lastPin(MOBILE) ?? '';
    await expect(client.otp.check({ id, mobile: MOBILE, pin })).resolves.toBe('right');
    expect(new Set(proxy.targets)).toEqual(new Set([new URL(baseUrl).host]));
  });

  it('shows the proxy the credentials of its own URL, and the gateway not', async () => {
    const proxy = await startProxy();
    const wire = await startWireServer((response) => sendPayload(response, { balance: '1' }));
    const uri = proxy.url.replace('//', '//proxy-user:proxy-word@');
    await clientOf(wire.baseUrl, { dispatcher: throughProxy(uri) }).otp.balance();
    expect(proxy.authorizations[0]).toBe(
      `Basic ${Buffer.from('proxy-user:proxy-word').toString('base64')}`,
    );
    expect(JSON.stringify(wire.requests)).not.toContain('proxy');
  });

  it.each([
    ['refuses', (): Promise<string> => startProxy({ status: 407 }).then(({ url }) => url)],
    ['is dead', (): Promise<string> => Promise.resolve('http://127.0.0.1:9')],
  ])('whose proxy %s is a gateway that cannot be reached; nothing has arrived', async (_t, url) => {
    const dispatcher = throughProxy(await url());
    const client = clientOf('http://127.0.0.1:9', { dispatcher });
    expect(await errorOf(client.warmUp())).toMatchObject({
      code: 'ERR_GATEWAY_UNREACHABLE',
      mayHaveArrived: false,
    });
  });
});

describe('an Agent', () => {
  it('shows a certificate of the client: mTLS', async () => {
    const [server, own] = [selfSign('127.0.0.1'), selfSign('client.example')];
    const seen: string[] = [];
    const options = { ...server, requestCert: true, rejectUnauthorized: true, ca: own.cert };
    const gateway = createServer(options, (request, response) => {
      sendPayload(response, request.url === '/apis/auth' ? TOKENS : { balance: '1' });
    });
    gateway.on('secureConnection', (socket) => {
      seen.push(String(socket.getPeerCertificate().subject.CN));
    });
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    closeLater(() => closeServer(gateway));
    const dispatcher = new Agent({ connect: { ca: server.cert, key: own.key, cert: own.cert } });
    closeLater(() => dispatcher.destroy());
    const client = clientOf(`https://127.0.0.1:${portOf(gateway)}`, { dispatcher });
    await expect(client.otp.balance()).resolves.toEqual({ balance: '1' });
    expect(new Set(seen)).toEqual(new Set(['client.example']));
  });

  it('may be shared, and stays open when its clients close', async () => {
    const dispatcher = new Agent();
    closeLater(() => dispatcher.destroy());
    const [one, two] = [
      await startGateway('A', { dispatcher }),
      await startGateway('B', { dispatcher }),
    ];
    await one.client.otp.balance();
    await one.client.close();
    await expect(two.client.otp.balance()).resolves.toHaveProperty('balance');
    expect(dispatcher.destroyed || dispatcher.closed).toBe(false);
  });

  it('has its requests ended when the client closes', async () => {
    const dispatcher = new Agent();
    closeLater(() => dispatcher.destroy());
    const held: unknown[] = [];
    const wire = await startWireServer((response) => held.push(response));
    const client = clientOf(wire.baseUrl, { dispatcher });
    const failed = errorOf(client.otp.generate({ mobile: MOBILE }));
    await until(() => held.length === 1);
    await client.close(10);
    expect(await failed).toMatchObject({ code: 'ERR_GATEWAY_UNREACHABLE', mayHaveArrived: true });
    expect(await errorOf(client.otp.balance())).toMatchObject({ code: 'ERR_GATEWAY_BUSY' });
  });

  it('that was closed by its app is a gateway that cannot be reached', async () => {
    const dispatcher = new Agent();
    await dispatcher.destroy();
    const { client } = await startGateway('A', { dispatcher });
    expect(await errorOf(client.otp.balance())).toMatchObject({
      code: 'ERR_GATEWAY_UNREACHABLE',
      mayHaveArrived: false,
      cause: { code: 'UND_ERR_DESTROYED' },
    });
  });

  it('keeps the deadline of the client, and does not follow redirects', async () => {
    const dispatcher = new Agent({ headersTimeout: 1, bodyTimeout: 1 });
    closeLater(() => dispatcher.destroy());
    const { client, simulator } = await startGateway('A', { dispatcher, timeoutMs: 300 });
    await client.warmUp();
    simulator.failNext('lookup', 'no-answer');
    expect(await errorOf(client.hlr.lookup(MOBILE))).toMatchObject({
      code: 'ERR_GATEWAY_TIMEOUT',
      mayHaveArrived: true,
    });
    simulator.failNext('lookup', 'redirect');
    expect(await errorOf(client.hlr.lookup(MOBILE))).toMatchObject({
      code: 'ERR_GATEWAY_RESPONSE',
    });
  });

  it('limits connections no more than the client does', async () => {
    const dispatcher = new Agent();
    closeLater(() => dispatcher.destroy());
    let [running, most] = [0, 0];
    const wire = await startWireServer((response) => {
      running += 1;
      most = Math.max(most, running);
      setImmediate(() => {
        running -= 1;
        sendPayload(response, { balance: '1' });
      });
    });
    const client = clientOf(wire.baseUrl, { dispatcher, connections: 3 });
    await Promise.all(Array.from({ length: 20 }, () => client.otp.balance()));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(3);
  });
});

it('a MockAgent stands for the gateway, without a network', async () => {
  const dispatcher = new MockAgent();
  closeLater(() => dispatcher.close());
  dispatcher.disableNetConnect();
  const headers = { 'content-type': 'application/json' };
  const gateway = dispatcher.get('https://gateway.example');
  const reply = (path: string, method: string, payload: unknown): unknown =>
    gateway.intercept({ path, method }).reply(200, { status_code: 200, payload }, { headers });
  reply('/apis/auth', 'POST', TOKENS);
  reply('/apis/otp/v3/generate', 'POST', { id: 'x', mobile: '12025550123' });
  const client = clientOf('https://gateway.example', { dispatcher });
  await expect(client.otp.generate({ mobile: MOBILE })).resolves.toMatchObject({ id: 'x' });
  gateway
    .intercept({ path: '/apis/otp/v3/validate/x', method: 'POST' })
    .replyWithError(new Error('canary'));
  expect(await errorOf(client.otp.check({ id: 'x', mobile: MOBILE, pin: '1234' }))).toMatchObject({
    code: 'ERR_GATEWAY_UNREACHABLE',
  });
});

/** A dispatcher, as an app may write it. */
type OwnDispatch = (...given: Parameters<Agent['dispatch']>) => boolean;

function ownDispatcher(dispatch: OwnDispatch): Agent {
  const agent = new Agent();
  closeLater(() => agent.destroy());
  return Object.assign(agent, { dispatch });
}

describe('a dispatcher of the app', () => {
  it('that throws has sent nothing', async () => {
    const dispatcher = ownDispatcher(() => {
      throw new Error('canary');
    });
    const { client } = await startGateway('A', { dispatcher });
    const error = await errorOf(client.otp.generate({ mobile: MOBILE }));
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_UNREACHABLE', mayHaveArrived: false });
    expect(error.message).not.toContain('canary');
  });

  it('that reports no start may have sent everything by its first answer', async () => {
    const dispatcher = ownDispatcher((_options, handler) => {
      const controller = { aborted: false, paused: false, reason: null } as never;
      handler.onResponseStart?.(controller, 200, { 'content-type': 'application/json' });
      handler.onResponseError?.(controller, new Error('canary'));
      return true;
    });
    const { client } = await startGateway('A', { dispatcher });
    expect(await errorOf(client.warmUp())).toMatchObject({ code: 'ERR_GATEWAY_RESPONSE' });
  });

  it('may change the headers of one request, and no other sees it', async () => {
    const agent = new Agent();
    closeLater(() => agent.destroy());
    const dispatcher = agent.compose((dispatch) => (options, handler) => {
      (options.headers as string[]).push('x-trace', '1');
      return dispatch(options, handler);
    });
    const wire = await startWireServer((response) => sendPayload(response, { balance: '1' }));
    const client = clientOf(wire.baseUrl, { dispatcher });
    await client.otp.balance();
    await client.otp.balance();
    await clientOf(wire.baseUrl).otp.balance();
    expect(wire.requests.map(({ headers }) => headers['x-trace'])).toEqual(['1', '1', undefined]);
    expect(wire.authentications.map(({ headers }) => headers['x-trace'])).toEqual(['1', undefined]);
  });
});

it.each([7, 'http://proxy.example', {}, null])(
  'a dispatcher that is %j is a TypeError',
  (dispatcher) => {
    // A caller without types may hand in anything.
    const options = { dispatcher } as unknown as GatewayClientOptions;
    expect(() => clientOf('https://gateway.example', options)).toThrow(
      /^GatewayClient: dispatcher must be a dispatcher of undici/,
    );
  },
);
