import { describe, expect, it } from '@jest/globals';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE, startSimulator } from './support/gateway';
import { startProxy } from './support/proxy';
import { sendPayload, startWireServer } from './support/wire-server';

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
    const client = clientOf(wire.baseUrl, {
      proxyUrl: proxy.url.replace('//', '//proxy-user:proxy-word@'),
    });
    await client.otp.balance();
    expect(proxy.authorizations[0]).toBe(
      `Basic ${Buffer.from('proxy-user:proxy-word').toString('base64')}`,
    );
    expect(JSON.stringify(wire.requests)).not.toContain('proxy');
  });

  it('that refuses is a gateway that cannot be reached; nothing has arrived', async () => {
    const proxy = await startProxy({ status: 407 });
    const error = await errorOf(clientOf('http://127.0.0.1:9', { proxyUrl: proxy.url }).warmUp());
    expect(error).toMatchObject({ code: 'ERR_GATEWAY_UNREACHABLE', mayHaveArrived: false });
  });
});
