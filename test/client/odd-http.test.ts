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
