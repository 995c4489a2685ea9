import { createSecureServer as createHttp2Server } from 'node:http2';
import { createServer, type Server } from 'node:https';
import { afterEach, describe, expect, it } from '@jest/globals';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { selfSign, type SelfSigned } from './support/certificate';
import { closeLater } from './support/cleanup';
import { throughProxy, trusting } from './support/dispatchers';
import { errorOf } from './support/gateway';
import { startProxy } from './support/proxy';
import { closeServer, portOf, sendPayload, TOKENS } from './support/wire-server';

/** A gateway behind TLS that counts the requests that reached it. */
async function startSecureServer(
  pair: SelfSigned,
  maxVersion?: 'TLSv1.1',
): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = [];
  const old = maxVersion === undefined ? {} : { minVersion: 'TLSv1' as const, maxVersion };
  const server: Server = createServer({ ...pair, ...old }, (request, response) => {
    requests.push(request.url ?? '');
    request.resume();
    sendPayload(response, request.url === '/apis/auth' ? TOKENS : { balance: '1' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => closeServer(server));
  return { port: portOf(server), requests };
}

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

const previous = process.env.NODE_TLS_REJECT_UNAUTHORIZED;

afterEach(() => {
  if (previous === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = previous;
});

describe('a certificate nobody vouches for', () => {
  it('is refused before anything is sent, and no environment variable changes that', async () => {
    const { port, requests } = await startSecureServer(selfSign('127.0.0.1'));
    for (const switchedOff of ['', '0']) {
      if (switchedOff !== '') process.env.NODE_TLS_REJECT_UNAUTHORIZED = switchedOff;
      const error = await errorOf(clientOf(`https://127.0.0.1:${port}`).otp.balance());
      expect(error).toMatchObject({
        code: 'ERR_GATEWAY_UNREACHABLE',
        mayHaveArrived: false,
        cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
      });
    }
    expect(requests).toEqual([]);
  });

  it('is accepted when the dispatcher vouches for it', async () => {
    const pair = selfSign('127.0.0.1');
    const other = selfSign('other.example').cert;
    const { port } = await startSecureServer(pair);
    for (const dispatcher of [trusting(pair.cert), trusting(other, pair.cert)]) {
      const client = clientOf(`https://127.0.0.1:${port}`, { dispatcher });
      await expect(client.otp.balance()).resolves.toEqual({ balance: '1' });
    }
  });

  it('is refused when the dispatcher vouches for another', async () => {
    const { port, requests } = await startSecureServer(selfSign('127.0.0.1'));
    const client = clientOf(`https://127.0.0.1:${port}`, {
      dispatcher: trusting(selfSign('127.0.0.1').cert),
    });
    expect(await errorOf(client.otp.balance())).toMatchObject({ code: 'ERR_GATEWAY_UNREACHABLE' });
    expect(requests).toEqual([]);
  });
});

it('a certificate for another host is refused', async () => {
  const pair = selfSign('other.example');
  const { port, requests } = await startSecureServer(pair);
  const error = await errorOf(
    clientOf(`https://127.0.0.1:${port}`, { dispatcher: trusting(pair.cert) }).otp.balance(),
  );
  expect(error).toMatchObject({
    code: 'ERR_GATEWAY_UNREACHABLE',
    mayHaveArrived: false,
    cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  });
  expect(requests).toEqual([]);
});

it('a host name is checked as well as an address', async () => {
  const pair = selfSign('localhost');
  const { port } = await startSecureServer(pair);
  await expect(
    clientOf(`https://localhost:${port}`, { dispatcher: trusting(pair.cert) }).otp.balance(),
  ).resolves.toEqual({
    balance: '1',
  });
});

it('through a proxy the certificate of the gateway is checked, and the proxy sees nothing', async () => {
  const pair = selfSign('127.0.0.1');
  const { port, requests } = await startSecureServer(pair);
  const proxy = (await startProxy()).url;
  const baseUrl = `https://127.0.0.1:${port}`;
  expect(
    await errorOf(clientOf(baseUrl, { dispatcher: throughProxy(proxy) }).otp.balance()),
  ).toMatchObject({
    code: 'ERR_GATEWAY_UNREACHABLE',
    mayHaveArrived: false,
  });
  expect(requests).toEqual([]);
  const dispatcher = throughProxy(proxy, { requestTls: { ca: pair.cert } });
  await expect(clientOf(baseUrl, { dispatcher }).otp.balance()).resolves.toEqual({ balance: '1' });
});

it('speaks HTTP/1.1 to a server that would rather speak HTTP/2', async () => {
  const pair = selfSign('127.0.0.1');
  const versions: string[] = [];
  const server = createHttp2Server({ ...pair, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion);
    const payload = request.url === '/apis/auth' ? TOKENS : { balance: '1' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status_code: 200, payload, errors: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => new Promise((resolve) => server.close(() => resolve())));
  const client = clientOf(`https://127.0.0.1:${portOf(server)}`, {
    dispatcher: trusting(pair.cert),
  });
  await expect(client.otp.balance()).resolves.toEqual({ balance: '1' });
  expect(versions).toEqual(['1.1', '1.1']);
  await client.close(0);
});
