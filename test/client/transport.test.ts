import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE, startGateway, startSimulator } from './support/gateway';
import { sendJson, sendPayload, startWireServer } from './support/wire-server';
import { startProxy } from './support/proxy';

const PIN = { id: 'abc', mobile: MOBILE, pin: '123456' };

function clientOf(baseUrl: string, options: Partial<GatewayClientOptions> = {}): GatewayClient {
  const client = new GatewayClient({ baseUrl, variant: 'A', username: 'u', password: 'p', ...options });
  closeLater(() => client.close(0));
  return client;
}

describe.each([301, 302, 303, 307, 308])('a redirect with %i', (status) => {
  it('is an error, and no other server ever sees the body or the token', async () => {
    const other = await startWireServer((response) => sendPayload(response, ''));
    const wire = await startWireServer((response, { url }) => {
      response
        .writeHead(status, { location: other.baseUrl + url, 'content-type': 'application/json' })
        .end('{}');
    });
    const error = await errorOf(clientOf(wire.baseUrl).otp.validate(PIN));
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_RESPONSE', httpStatus: status });
    expect([...other.requests, ...other.authentications]).toEqual([]);
  });

  it('of an authentication is one, too', async () => {
    const other = await startWireServer((response) => sendPayload(response, ''));
    const wire = await startWireServer(
      (response) => sendPayload(response, ''),
      (response) => response.writeHead(status, { location: `${other.baseUrl}/apis/auth` }).end(),
    );
    expect(await errorOf(clientOf(wire.baseUrl).otp.validate(PIN))).toMatchObject({
      code: 'ERR_GATEWAY_RESPONSE',
    });
    expect([...other.authentications, ...wire.requests]).toEqual([]);
  });
});

describe('the size of an answer', () => {
  const answerOf = (bytes: number): string => {
    const [head, tail] = ['{"status_code":200,"payload":{"balance":"1","pad":"', '"}}'];
    return head + 'x'.repeat(bytes - head.length - tail.length) + tail;
  };
  const KIB = 1024;

  it.each([
    ['said before', true],
    ['not said before', false],
  ])('is bounded by 64 KiB, exactly (%s)', async (_title, isSaid) => {
    let bytes = 64 * KIB;
    const wire = await startWireServer((response) => {
      const text = answerOf(bytes);
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(isSaid && { 'content-length': text.length }),
      });
      response.write(text.slice(0, 100));
      response.end(text.slice(100));
    });
    const client = clientOf(wire.baseUrl);
    await expect(client.otp.balance()).resolves.toEqual({ balance: '1' });
    bytes += 1;
    expect(await errorOf(client.otp.balance())).toMatchObject({ code: 'ERR_GATEWAY_RESPONSE' });
  });

  it('is bounded by 8 MiB for price lists', async () => {
    const { client, simulator } = await startGateway('A');
    simulator.failNext('pricing', { kind: 'huge', bytes: 7 * KIB * KIB });
    await expect(client.otp.pricing()).resolves.toHaveProperty('pricing');
    simulator.failNext('hlr-pricing', { kind: 'huge', bytes: 9 * KIB * KIB });
    expect(await errorOf(client.hlr.pricing())).toMatchObject({ code: 'ERR_GATEWAY_RESPONSE' });
  });

  it('cannot be hidden in a compression: it is refused before a byte is unpacked', async () => {
    const bomb = gzipSync(answerOf(50 * KIB * KIB));
    const wire = await startWireServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.write(bomb.subarray(0, 100));
    });
    expect(bomb.length).toBeLessThan(64 * KIB);
    expect(await errorOf(clientOf(wire.baseUrl).otp.balance())).toMatchObject({
      code: 'ERR_GATEWAY_RESPONSE',
    });
    expect(wire.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it.each(['identity', 'IDENTITY'])('an encoding that is %s is none', async (encoding) => {
    const wire = await startWireServer((response) => {
      const head = { 'content-type': 'application/json', 'content-encoding': encoding };
      response.writeHead(200, head).end(answerOf(100));
    });
    await expect(clientOf(wire.baseUrl).otp.balance()).resolves.toEqual({ balance: '1' });
  });
});

describe('an id', () => {
  it.each(['a/b', '../balance', 'a?b=c', 'a#b', '%2e%2e', 'a b', 'ä€😀', 'a\\b', ';a=b', '.x'])(
    '%s cannot change the path of the URL',
    async (id) => {
      const wire = await startWireServer((response) => sendPayload(response, ''));
      await clientOf(wire.baseUrl).otp.validate({ ...PIN, id });
      expect(wire.requests[0]?.url).toBe(`/apis/otp/v3/validate/${encodeURIComponent(id)}`);
    },
  );

  it('of another number than the one asked for is refused', async () => {
    const wire = await startWireServer((response) =>
      sendPayload(response, { id: 'x', mobile: '12025550199' }),
    );
    expect(await errorOf(clientOf(wire.baseUrl).otp.generate({ mobile: MOBILE }))).toMatchObject({
      code: 'ERR_GATEWAY_RESPONSE',
    });
  });

  it.each(['9007199254740993', '9007199254740992', '-1', '0', '1.5', 'true', '[7]', '"7.0"', '"0x7"'])(
    'of B that is %s in JSON is refused',
    async (json) => {
      const wire = await startWireServer((response) => {
        const body = `{"status_code":201,"payload":{"id":${json},"mobile":"12025550123"}}`;
        response.writeHead(201, { 'content-type': 'application/json' }).end(body);
      });
      const client = clientOf(wire.baseUrl, { variant: 'B' });
      expect(await errorOf(client.otp.generate({ mobile: MOBILE }))).toMatchObject({
        code: 'ERR_GATEWAY_RESPONSE',
      });
    },
  );
});

describe('what is no HTTP', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9\r\n'],
    ['a head without end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`],
    ['a second length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n{"a":'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    [
      'two content types',
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\n{}',
    ],
  ])('%s ends the call with an error of ours', async (_title, bytes) => {
    const server = createNetServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(bytes));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closeLater(() => new Promise((resolve) => server.close(() => resolve())));
    // A server on a TCP port has such an address.
    const { port } = server.address() as AddressInfo;
    const error = await errorOf(clientOf(`http://127.0.0.1:${port}`).warmUp());
    expect(error).toHaveProperty('code', expect.stringMatching(/^ERR_GATEWAY_(RESPONSE|UNREACHABLE)$/));
  });

  it('a hint before the answer is passed over', async () => {
    const wire = await startWireServer((response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      sendPayload(response, { balance: '1' });
    });
    await expect(clientOf(wire.baseUrl).otp.balance()).resolves.toEqual({ balance: '1' });
  });

  it('an answer in many pieces is one answer, across a character too', async () => {
    const wire = await startWireServer((response) => {
      const bytes = Buffer.from('{"status_code":200,"payload":{"balance":"1","name":"€😀"}}');
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    await expect(clientOf(wire.baseUrl).otp.balance()).resolves.toEqual({ balance: '1' });
  });
});

describe('a proxy', () => {
  it('carries every call, by CONNECT', async () => {
    const simulator = await startSimulator({ variant: 'B' });
    const proxy = await startProxy();
    const { baseUrl, username, password } = simulator;
    const options = { variant: 'B', username, password, proxyUrl: proxy.url } as const;
    const client = clientOf(baseUrl, options);
    const { id } = await client.otp.generate({ mobile: MOBILE });
    const pin = simulator.lastPin(MOBILE) ?? '';
    await expect(client.otp.validate({ id, mobile: MOBILE, pin })).resolves.toBeUndefined();
    expect(new Set(proxy.targets)).toEqual(new Set([new URL(baseUrl).host]));
  });

  it('is shown the credentials of its own URL, and the gateway is not', async () => {
    const proxy = await startProxy();
    const wire = await startWireServer((response) => sendPayload(response, { balance: '1' }));
    const client = clientOf(wire.baseUrl, { proxyUrl: proxy.url.replace('//', '//proxy-user:proxy-word@') });
    await client.otp.balance();
    expect(proxy.authorizations[0]).toBe(`Basic ${Buffer.from('proxy-user:proxy-word').toString('base64')}`);
    expect(JSON.stringify(wire.requests)).not.toContain('proxy');
  });

  it('that refuses is a gateway that cannot be reached; nothing has arrived', async () => {
    const proxy = await startProxy({ status: 407 });
    const error = await errorOf(clientOf('http://127.0.0.1:9', { proxyUrl: proxy.url }).warmUp());
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_UNREACHABLE', mayHaveArrived: false });
  });
});

it('connections are kept: ten calls, one after another, need no third', async () => {
  const sockets = new Set<unknown>();
  const wire = await startWireServer((response) => sendJson(response, 200, { payload: { balance: '1' } }));
  wire.server.on('connection', (socket) => sockets.add(socket));
  const client = clientOf(wire.baseUrl);
  for (let call = 0; call < 10; call += 1) await client.otp.balance();
  expect(sockets.size).toBeLessThanOrEqual(2);
});
