import { describe, expect, it } from '@jest/globals';
import { GatewayClient, GatewayRejectedError } from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE, pinOf, startGateway } from './support/gateway';
import { sendPayload, startWireServer, type WireRequest } from './support/wire-server';

describe.each(['A', 'B'] as const)('variant %s', (variant) => {
  it('makes a pin, sends it, and accepts it once', async () => {
    const { client, simulator } = await startGateway(variant);
    const { id, mobile } = await client.otp.generate({ mobile: MOBILE });
    expect(mobile).toBe(MOBILE);
    const pin = pinOf(simulator);
    await expect(client.otp.validate({ id, mobile: MOBILE, pin })).resolves.toBeUndefined();
    await expect(client.otp.validate({ id, mobile: MOBILE, pin })).rejects.toBeInstanceOf(
      GatewayRejectedError,
    );
    expect(simulator.stats()).toMatchObject({ sent: 1, validated: 1 });
  });

  it('says of a wrong pin what the gateway says', async () => {
    const { client, simulator } = await startGateway(variant);
    const { id } = await client.otp.generate({ mobile: MOBILE });
    const pin = pinOf(simulator).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    const error = await errorOf(client.otp.validate({ id, mobile: MOBILE, pin }));
    expect(error).toMatchObject({
      code: 'ERR_GATEWAY_REJECTED',
      status: 502,
      gatewayCode: variant === 'A' ? 2107 : 2120,
      gatewayName: 'Invalid pin',
    });
  });

  it('takes a number with or without plus', async () => {
    const { client, simulator } = await startGateway(variant);
    const { id, mobile } = await client.otp.generate({ mobile: '12025550123' });
    expect(mobile).toBe(MOBILE);
    await expect(
      client.otp.validate({ id, mobile: MOBILE, pin: pinOf(simulator) }),
    ).resolves.toBeUndefined();
  });

  it('sends what the request names', async () => {
    const { client, simulator } = await startGateway(variant);
    const message = 'Your code is [PIN].';
    await client.otp.generate({
      mobile: MOBILE,
      sender: 'Demo App',
      validitySeconds: 300,
      message,
    });
    expect(simulator.outbox).toMatchObject([{ text: message.replace('[PIN]', pinOf(simulator)) }]);
  });

  it('reads money and price lists of both services', async () => {
    const { client } = await startGateway(variant);
    const decimal = expect.stringMatching(/^\d+\.\d{4}$/);
    await expect(client.otp.balance()).resolves.toEqual({ balance: '100.0000' });
    await expect(client.hlr.balance()).resolves.toEqual({ balance: '100.0000' });
    const [network] = (await client.otp.pricing()).pricing;
    expect(network).toMatchObject({
      mcc: expect.any(String),
      mnc: expect.any(String),
      price: decimal,
    });
    const [country] = (await client.hlr.pricing()).pricing;
    expect(country).toMatchObject({
      countryCode: expect.stringMatching(/^\+\d+$/),
      price: decimal,
    });
  });

  it('looks a number up', async () => {
    const { client } = await startGateway(variant);
    await expect(client.hlr.lookup(MOBILE)).resolves.toMatchObject({
      phone: MOBILE,
      status: 'valid',
    });
  });

  it('uses one token for both services', async () => {
    const { client, simulator } = await startGateway(variant);
    await client.otp.balance();
    await client.hlr.balance();
    await client.otp.generate({ mobile: MOBILE });
    expect(simulator.stats().calls.auth).toBe(1);
  });
});

describe('variant A', () => {
  it('gives back what the request named', async () => {
    const { client } = await startGateway('A');
    const input = {
      mobile: MOBILE,
      sender: 'Demo',
      validitySeconds: 300,
      message: 'Code [PIN]',
      referenceCode: 'r-1',
    };
    await expect(client.otp.generate(input)).resolves.toEqual({
      variant: 'A',
      id: expect.any(String),
      ...input,
    });
  });
});

describe('variant B', () => {
  it('gives the cost as a decimal string and valid_until as it came', async () => {
    const { client } = await startGateway('B');
    await expect(client.otp.generate({ mobile: MOBILE })).resolves.toEqual({
      variant: 'B',
      id: expect.stringMatching(/^[1-9]\d*$/),
      mobile: MOBILE,
      cost: expect.stringMatching(/^\d+\.\d{4}$/),
      validUntilRaw: expect.any(Number),
    });
  });
});

/** What a client with these options sends. */
async function wireOf(
  options: { numbersAs?: 'string' | 'number'; prefix?: string },
  call: (client: GatewayClient) => Promise<unknown>,
): Promise<WireRequest> {
  const wire = await startWireServer((response) => sendPayload(response, ''));
  const { prefix = '', ...rest } = options;
  const client = new GatewayClient({
    baseUrl: wire.baseUrl + prefix,
    variant: 'A',
    username: 'u',
    password: 'p',
    ...rest,
  });
  closeLater(() => client.close(0));
  await call(client).catch(() => null);
  const [request] = wire.requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

describe('on the wire', () => {
  const validate = (client: GatewayClient): Promise<void> =>
    client.otp.validate({ id: 'abc', mobile: MOBILE, pin: '012345' });

  it('a request is as documented', async () => {
    const request = await wireOf({}, validate);
    expect(request).toMatchObject({ method: 'POST', url: '/apis/otp/v3/validate/abc' });
    expect(request.body).toBe('{"mobile":"12025550123","pin":"012345"}');
    expect(request.headers).toMatchObject({
      authorization: 'Bearer access-1',
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    });
  });

  it('an authentication has no Authorization header', async () => {
    const wire = await startWireServer((response) => sendPayload(response, ''));
    const client = new GatewayClient({
      baseUrl: wire.baseUrl,
      variant: 'A',
      username: 'u',
      password: 'p',
    });
    closeLater(() => client.close(0));
    await client.warmUp();
    expect(wire.authentications).toHaveLength(1);
    expect(wire.authentications[0]?.headers).not.toHaveProperty('authorization');
  });

  it('numbers are JSON numbers where that is asked for, and a pin stays a string', async () => {
    const request = await wireOf({ numbersAs: 'number' }, validate);
    expect(request.body).toBe('{"mobile":12025550123,"pin":"012345"}');
  });

  it('a path prefix of the base URL is kept', async () => {
    const request = await wireOf({ prefix: '/tenant/7/' }, validate);
    expect(request.url).toBe('/tenant/7/apis/otp/v3/validate/abc');
  });

  it('a call without a body has no content type', async () => {
    const request = await wireOf({}, (client) => client.otp.balance());
    expect(request).toMatchObject({ method: 'GET', url: '/apis/sms/mt/v2/balance', body: '' });
    expect(request.headers).not.toHaveProperty('content-type');
  });
});
