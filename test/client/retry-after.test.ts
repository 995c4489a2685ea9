import { expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE } from './support/gateway';
import { startWireServer } from './support/wire-server';

/** Validates a pin against a gateway with one answer. */
async function validateWith(
  status: number,
  type: string,
  body: string,
  retryAfter?: string,
): Promise<Error> {
  const wire = await startWireServer((response) => {
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  const account = { baseUrl: wire.baseUrl, variant: 'A', username: 'u', password: 'p' } as const;
  const client = new GatewayClient(account);
  closeLater(() => client.close(0));
  return errorOf(client.otp.validate({ id: 'abc', mobile: MOBILE, pin: '123456' }));
}

const inAMinute = (): string => new Date(Date.now() + 60_500).toUTCString();

it.each([429, 503])(
  'a bare %i of a load balancer is not as documented, and 503 for the user',
  async (status) => {
    const error = await validateWith(status, 'text/plain', 'later', '17');
    expect(error).toMatchObject({
      code: 'ERR_GATEWAY_RESPONSE',
      status: 503,
      httpStatus: status,
      mayHaveArrived: true,
      retryAfterSeconds: 17,
      headers: { 'Retry-After': '17' },
    });
  },
);

it.each([429, 503])('a %i in an envelope is a rejection with the same header', async (status) => {
  const body = JSON.stringify({ status_code: status });
  expect(await validateWith(status, 'application/json', body, '17')).toMatchObject({
    code: 'ERR_GATEWAY_REJECTED',
    status: 503,
    retryAfterSeconds: 17,
    headers: { 'Retry-After': '17' },
  });
});

it('2121 carries the Retry-After of its answer', async () => {
  const body = JSON.stringify({ errors: [{ code: 2121 }] });
  expect(await validateWith(422, 'application/json', body, '5')).toMatchObject({
    gatewayCode: 2121,
    headers: { 'Retry-After': '5' },
  });
});

it.each([
  ['0', 1],
  ['99999999', 86_400],
  ['1e3', null],
  ['-5', null],
  ['soon', null],
  ['', null],
  [undefined, null],
])('the Retry-After %j counts as %j seconds', async (header, seconds) => {
  const error = await validateWith(503, 'text/plain', 'later', header);
  expect(error).toMatchObject({ retryAfterSeconds: seconds });
});

it('a Retry-After may be a date', async () => {
  const error = await validateWith(503, 'text/html', 'later', inAMinute());
  const { retryAfterSeconds } = error as Error & { retryAfterSeconds: number };
  expect(retryAfterSeconds).toBeGreaterThan(50);
  expect(retryAfterSeconds).toBeLessThanOrEqual(61);
});

it('another status passes no Retry-After on', async () => {
  const error = await validateWith(500, 'text/plain', 'x', '17');
  expect(error).toMatchObject({ status: 502 });
  expect(error).toHaveProperty('headers', {});
});
