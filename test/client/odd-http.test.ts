import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { errorOf } from './support/gateway';
import { sendPayload, startWireServer } from './support/wire-server';

function clientOf(baseUrl: string): GatewayClient {
  const client = new GatewayClient({ baseUrl, variant: 'A', username: 'u', password: 'p' });
  closeLater(() => client.close(0));
  return client;
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const UNREACHED = {
  code: 'ERR_GATEWAY_UNREACHABLE',
  cause: { name: 'Error', code: 'UND_ERR_SOCKET' },
};

/**
 * What a client says that asked a server for a token and got these bytes, and then the end of the
 * connection.
 */
async function errorAfter(bytes: string): Promise<Error> {
  const server = createNetServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => new Promise((resolve) => server.close(() => resolve())));
  // A server on a TCP port has such an address.
  const { port } = server.address() as AddressInfo;
  return errorOf(clientOf(`http://127.0.0.1:${port}`).warmUp());
}

/** As errors say it. */
function asSaid(httpStatus: number | null, problem: string): object {
  const message = `The OTP gateway's answer is not as documented (auth): ${problem}`;
  return { code: 'ERR_GATEWAY_RESPONSE', httpStatus, message };
}

describe('an answer', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9\r\n', null],
    ['another version', 'HTTP/7.1 200 OK\r\n\r\n', null],
    ['a head without end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`, null],
    ['a name that is none', `${OK}a b: c\r\n\r\n`, null],
    ['a second length', `${OK}content-length: 5\r\ncontent-length: 6\r\n\r\n{"a":`, null],
    ['a length that is no number', `${OK}content-length: x\r\n\r\n{}`, null],
    ['a piece without length', `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n{}`, 200],
  ])('that is not HTTP is not as documented: %s', async (_title, bytes, httpStatus) => {
    expect(await errorAfter(bytes)).toMatchObject(asSaid(httpStatus, 'it is not HTTP/1.1'));
  });

  it.each([
    ['less than its length', `${OK}content-length: 50\r\n\r\n{"a":`],
    ['a piece cut off', `${OK}transfer-encoding: chunked\r\n\r\n5\r\n{"`],
    ['no last piece', `${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`],
  ])('that ends half way is not as documented: %s', async (_title, bytes) => {
    expect(await errorAfter(bytes)).toMatchObject(asSaid(200, 'it is incomplete'));
  });

  it.each([
    ['300', 'HTTP/1.1 300 x\r\ncontent-length: 0\r\n\r\n', 300, 'it is a redirect'],
    ['399', 'HTTP/1.1 399 x\r\ncontent-length: 0\r\n\r\n', 399, 'it is a redirect'],
    [
      '299 without type',
      'HTTP/1.1 299 x\r\ncontent-length: 0\r\n\r\n',
      299,
      'its content type is not JSON',
    ],
    [
      '400 without type',
      'HTTP/1.1 400 x\r\ncontent-length: 0\r\n\r\n',
      400,
      'its content type is not JSON',
    ],
    [
      'two types',
      `${OK}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
      200,
      'its content type is not JSON',
    ],
    [
      'an encoding',
      `${OK}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}`,
      200,
      'it is encoded',
    ],
    [
      'two encodings',
      `${OK}${'content-encoding: identity\r\n'.repeat(2)}\r\n{}`,
      200,
      'it is encoded',
    ],
    [
      'an empty encoding',
      `${OK}content-encoding:\r\ncontent-length: 2\r\n\r\n{}`,
      200,
      'it is encoded',
    ],
    ['a length beyond 64 KiB', `${OK}content-length: 65537\r\n\r\n{`, 200, 'it is too large'],
    ['more than 64 KiB', `${OK}\r\n"${'x'.repeat(65_536)}"`, 200, 'it is too large'],
    ['no JSON', `${OK}content-length: 5\r\n\r\n{"a":`, 200, 'its body is not valid JSON'],
    [
      'other members',
      `${OK}content-length: 2\r\n\r\n{}`,
      200,
      'fields not as expected; check the variant',
    ],
  ])(
    'is not as documented where its head or its members are not: %s',
    async (_title, bytes, httpStatus, problem) => {
      expect(await errorAfter(bytes)).toMatchObject(asSaid(httpStatus, problem));
    },
  );

  it.each([
    ['nothing', ''],
    ['half a head', OK],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['only a hint', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('that has no head is none: %s', async (_title, bytes) => {
    expect(await errorAfter(bytes)).toMatchObject(UNREACHED);
  });
});

describe('what is HTTP in an odd manner', () => {
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
