import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE, startGateway } from './support/gateway';
import { sendJson, sendPayload, startWireServer } from './support/wire-server';

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
      response.writeHead(status, { location: other.baseUrl + url, 'content-type': 'application/json' }).end('{}');
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
    expect(await errorOf(clientOf(wire.baseUrl).otp.validate(PIN))).toMatchObject({ code: 'ERR_GATEWAY_RESPONSE' });
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
      response.writeHead(200, { 'content-type': 'application/json', ...(isSaid && { 'content-length': text.length }) });
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
    expect(await errorOf(clientOf(wire.baseUrl).otp.balance())).toMatchObject({ code: 'ERR_GATEWAY_RESPONSE' });
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
    const wire = await startWireServer((response) => sendPayload(response, { id: 'x', mobile: '12025550199' }));
    expect(await errorOf(clientOf(wire.baseUrl).otp.generate({ mobile: MOBILE }))).toMatchObject({
      code: 'ERR_GATEWAY_RESPONSE',
    });
  });

  it.each(['9007199254740993', '18446744073709551615', '"007"', '0', '"18446744073709551615"'])(
    'of B that is %s in JSON keeps every digit',
    async (json) => {
      const wire = await startWireServer((response) => {
        const body = `{"note":"\\"id\\":9007199254740995,","status_code":201,"payload":{"id" : ${json} ,"mobile":"12025550123"}}`;
        response.writeHead(201, { 'content-type': 'application/json' }).end(body);
      });
      const client = clientOf(wire.baseUrl, { variant: 'B' });
      const { id } = await client.otp.generate({ mobile: MOBILE });
      expect(id).toBe(json.replaceAll('"', ''));
    },
  );

  it.each([
    '123456789012345678901',
    '9007199254740993.5',
    '9007199254740993e2',
    '-1',
    '1.5',
    'true',
    '[7]',
    '"7.0"',
    '"0x7"',
  ])('of B that is %s in JSON is refused', async (json) => {
    const wire = await startWireServer((response) => {
      const body = `{"status_code":201,"payload":{"id":${json},"mobile":"12025550123"}}`;
      response.writeHead(201, { 'content-type': 'application/json' }).end(body);
    });
    const client = clientOf(wire.baseUrl, { variant: 'B' });
    expect(await errorOf(client.otp.generate({ mobile: MOBILE }))).toMatchObject({ code: 'ERR_GATEWAY_RESPONSE' });
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
