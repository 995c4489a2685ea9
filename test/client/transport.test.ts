import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE, startGateway, until } from './support/gateway';
import { sendJson, sendPayload, startWireServer } from './support/wire-server';

const PIN = { id: 'abc', mobile: MOBILE, pin: '123456' };

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
    simulator.failNext('hlr-pricing', { kind: 'huge', bytes: 9 * KIB * KIB }, 2);
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
    expect(await errorOf(client.otp.generate({ mobile: MOBILE }))).toMatchObject({
      code: 'ERR_GATEWAY_RESPONSE',
    });
  });
});

describe('connections', () => {
  /** A gateway that counts its connections and answers when it is told to. */
  async function startCounting(options: Partial<GatewayClientOptions> = {}) {
    const [sockets, held] = [new Set<unknown>(), [] as ServerResponse[]];
    const wire = await startWireServer((response) => held.push(response));
    wire.server.on('connection', (socket) => sockets.add(socket));
    const client = clientOf(wire.baseUrl, options);
    await client.warmUp();
    const answer = (): void => {
      for (const response of held.splice(0)) sendPayload(response, { balance: '1' });
    };
    return { wire, client, sockets, held, answer };
  }

  it('are kept: ten calls, one after another, need no third', async () => {
    const sockets = new Set<unknown>();
    const wire = await startWireServer((response) =>
      sendJson(response, 200, { payload: { balance: '1' } }),
    );
    wire.server.on('connection', (socket) => sockets.add(socket));
    const client = clientOf(wire.baseUrl);
    for (let call = 0; call < 10; call += 1) await client.otp.balance();
    expect(wire.requests).toHaveLength(10);
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it('are as many as there were calls at once, wave after wave', async () => {
    const { client, sockets, held, answer } = await startCounting();
    for (let wave = 0; wave < 5; wave += 1) {
      // Each caller begins its second call as soon as the first has ended.
      const callers = [1, 2, 3, 4].map(async () => {
        await client.otp.balance();
        await client.otp.balance();
      });
      for (let round = 0; round < 2; round += 1) {
        await until(() => held.length === 4);
        answer();
      }
      await Promise.all(callers);
    }
    expect(sockets.size).toBe(4);
  });

  it('that failed are used after the others', async () => {
    const { client, sockets, held, answer } = await startCounting();
    const calls = [client.otp.balance(), errorOf(client.hlr.lookup(MOBILE))];
    await until(() => held.length === 2);
    const [first] = held.splice(0, 1);
    if (first !== undefined) sendPayload(first, { balance: '1' });
    await calls[0];
    held.splice(0)[0]?.destroy();
    expect(await calls[1]).toMatchObject({ code: 'ERR_GATEWAY_UNREACHABLE' });
    for (let call = 0; call < 3; call += 1) {
      const balance = client.otp.balance();
      await until(() => held.length === 1);
      answer();
      await balance;
    }
    expect(sockets.size).toBe(2);
  });

  it('are no more than allowed when a token is due while all are in use', async () => {
    let now = Date.now();
    const { wire, client, sockets, held, answer } = await startCounting({
      connections: 1,
      now: () => now,
    });
    const first = client.otp.balance();
    await until(() => held.length === 1);
    now += 1_700_000;
    const second = client.otp.balance();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([sockets.size, wire.authentications.length, wire.requests.length]).toEqual([1, 1, 1]);
    answer();
    await until(() => held.length === 1);
    answer();
    await Promise.all([first, second]);
    expect([sockets.size, wire.authentications.length, wire.requests.length]).toEqual([1, 2, 2]);
  });
});
