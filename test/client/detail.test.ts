import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createSmsOtp, memoryStore, type SmsOtpOptions } from 'passport-sms-otp';
import {
  GatewayClient,
  type GatewayClientOptions,
  GatewayRejectedError,
  GatewayResponseError,
  otpGateway,
} from 'passport-sms-otp/client';
import { guardGateway } from '../../src/core/guarded-gateway';
import { closeLater } from './support/cleanup';
import { errorOf, MOBILE } from './support/gateway';
import { sendJson, sendPayload, startWireServer } from './support/wire-server';

const WORDS = 'Blocked: call your account manager';
const UNKNOWN = { status_code: 400, errors: [{ code: 9999, message: WORDS }] };

type Answer = Parameters<typeof startWireServer>[0];

const refuse: Answer = (response) => {
  response.setHeader('x-request-id', 'req-42');
  sendJson(response, 400, UNKNOWN);
};

async function startOf(
  answer: Answer,
  options: Partial<GatewayClientOptions> = { keepsDetail: true },
  authenticate?: Answer,
): Promise<GatewayClient> {
  const wire = await startWireServer(answer, authenticate);
  const account = { baseUrl: wire.baseUrl, variant: 'A', username: 'u', password: 'p' } as const;
  const client = new GatewayClient({ ...account, ...options });
  closeLater(() => client.close(0));
  return client;
}

async function detailOf(client: GatewayClient) {
  const error = await errorOf(client.otp.generate({ mobile: MOBILE }));
  if (error instanceof GatewayRejectedError || error instanceof GatewayResponseError)
    return error.detail;
  throw error;
}

describe('keepsDetail', () => {
  it("keeps the gateway's words and headers with a rejection", async () => {
    const detail = await detailOf(await startOf(refuse));
    expect(detail?.headers).toMatchObject({ 'x-request-id': 'req-42' });
    expect(JSON.parse(detail?.body ?? '')).toEqual(UNKNOWN);
  });

  it('keeps them with an answer that is not as documented', async () => {
    const client = await startOf((response) => sendPayload(response, { surprise: WORDS }));
    expect((await detailOf(client))?.body).toContain(WORDS);
  });

  it('keeps the headers of an answer whose body is not read', async () => {
    const client = await startOf((response) =>
      response.writeHead(502, { 'content-type': 'text/html', server: 'proxy' }).end(WORDS),
    );
    expect((await detailOf(client))?.headers).toMatchObject({ server: 'proxy' });
  });

  it('keeps the first 4,096 characters of a long body', async () => {
    const client = await startOf((response) =>
      sendJson(response, 400, { ...UNKNOWN, pad: 'x'.repeat(10_000) }),
    );
    expect((await detailOf(client))?.body).toHaveLength(4_096);
  });

  it('is nothing that is printed with the error', async () => {
    const error = await errorOf((await startOf(refuse)).otp.generate({ mobile: MOBILE }));
    expect(error).toHaveProperty('detail');
    expect([inspect(error), JSON.stringify(error), String(error)].join()).not.toContain(WORDS);
  });

  it('keeps words of a rejected authentication, and never a token', async () => {
    const rejecting = await startOf(refuse, undefined, refuse);
    expect((await detailOf(rejecting))?.body).toContain(WORDS);
    const odd = await startOf(refuse, undefined, (response) =>
      sendPayload(response, { access_token: 'canary', validity_period: 1, refresh_token: 'x' }),
    );
    const broken = await startOf(refuse, undefined, (response) =>
      sendPayload(response, { token: 'canary' }),
    );
    expect(await detailOf(odd)).toHaveProperty('body');
    expect(await detailOf(broken)).toBeUndefined();
  });

  it.each([undefined, false])('%s keeps nothing', async (keepsDetail) => {
    const client = await startOf(refuse, { keepsDetail });
    const error = await errorOf(client.otp.generate({ mobile: MOBILE }));
    expect(error).toBeInstanceOf(GatewayRejectedError);
    expect(error).not.toHaveProperty('detail', expect.anything());
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(WORDS);
  });
});

describe('a login', () => {
  const account = {
    baseUrl: 'https://gateway.example',
    variant: 'A',
    username: 'user',
    password: 'word',
    keepsDetail: true,
  } as const;

  function create(gateway: SmsOtpOptions['gateway']): void {
    createSmsOtp({
      gateway,
      store: memoryStore(),
      allowedCountries: ['US'],
      getPhone: () => null,
      loadUser: () => null,
      secret: 'a secret of the tests, long enough to be one',
    });
  }

  it('takes no client that keeps it, as options, as a client or behind a gateway', () => {
    const client = new GatewayClient(account);
    const problem = /gateway(\.keepsDetail)? .*a client used alone/;
    for (const gateway of [account, client]) {
      expect(() => create(gateway)).toThrow(TypeError);
      expect(() => create(gateway)).toThrow(problem);
    }
    expect(() => otpGateway(client)).toThrow(/^otpGateway: .*a client used alone/);
  });

  it('takes nothing of it from a gateway of its own', async () => {
    const client = await startOf(refuse);
    const own = guardGateway({
      generate: ({ to, ...text }) => client.otp.generate({ ...text, mobile: to }),
      validate: ({ to, ...typed }) => client.otp.check({ ...typed, mobile: to }),
    });
    const text = { to: MOBILE, message: '[PIN]', sender: undefined, validitySeconds: 300 };
    const error = await errorOf(own.generate(text));
    expect(error).toMatchObject({ gatewayCode: 9999 });
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(WORDS);
  });
});
