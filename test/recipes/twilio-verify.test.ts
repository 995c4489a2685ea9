import { describe, expect, it } from '@jest/globals';
import type { OtpGateway } from 'passport-sms-otp';
import { gatewayChecks, type GatewayUnderTest } from 'passport-sms-otp/testing';
import { twilioVerify } from '../../docs/recipes/twilio-verify';
import { ALICE } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import { seen, visit } from '../support/visit';
import { FakeTwilio, TWILIO } from './support/fake-twilio';
import { putUnderTest, useFake } from './support/use-fake';

async function underTest(): Promise<GatewayUnderTest> {
  const twilio = new FakeTwilio();
  const baseUrl = `${await twilio.start()}/v2`;
  const open = (timeoutMs: number): OtpGateway => twilioVerify({ ...TWILIO, baseUrl, timeoutMs });
  return putUnderTest(twilio, open, TWILIO.authToken);
}

describe('the recipe for Twilio Verify passes the gateway checks', () => {
  it.each(gatewayChecks)('$title', async ({ run }) => {
    await expect(run(underTest)).resolves.toBeUndefined();
  });
});

describe('a login with Twilio Verify', () => {
  const test = useOwnApps();
  const visitor = visit(test);
  const fake = useFake(() => new FakeTwilio());
  const lastPin = (): string => fake.provider.texts.get(ALICE.phone ?? '')?.at(-1)?.pin ?? 'none';
  const start = async (): Promise<void> => {
    const gateway = twilioVerify({ ...TWILIO, baseUrl: `${fake.baseUrl}/v2` });
    await test.start({ options: { gateway } });
  };

  it('passes with the code of the text', async () => {
    await start();
    expect((await visitor.login()).body).toMatchObject({ sent: true });
    expect(seen(await visitor.enter('000000'))).toEqual([401, { error: 'invalid-code' }]);
    expect((await visitor.enter(lastPin())).body).toMatchObject({ verified: true });
  });

  it('goes on with the attempts of the text when it is sent again, with the same code', async () => {
    await start();
    await visitor.login();
    const before = lastPin();
    for (const pin of ['000001', '000002', '000003']) await visitor.enter(pin);
    test.clock.advanceSeconds(60);
    expect((await visitor.resend()).body).toMatchObject({ sent: true });
    expect(lastPin()).toBe(before);
    await visitor.enter('000004');
    expect((await visitor.enter(lastPin())).body).toMatchObject({ verified: true });
  });

  it('ends when the attempts of an older login have used the verification up', async () => {
    await start();
    await visitor.login();
    for (const pin of ['000001', '000002', '000003', '000004', '000005']) await visitor.enter(pin);
    test.clock.advanceSeconds(60);
    const again = visit(test);
    expect((await again.login()).body).toMatchObject({ sent: true });
    // The same verification, of which Twilio judges nothing any more.
    expect(seen(await again.enter(lastPin()))).toEqual([401, { error: 'invalid-code' }]);
    expect((await again.status()).body).toMatchObject({ pending: null, isAuthenticated: false });
  });

  it('says which calls it makes, and of each refused text that none went out', async () => {
    await start();
    await visitor.login();
    expect(fake.provider.requests).toMatchObject([
      {
        path: `/v2/Services/${TWILIO.serviceSid}/Verifications`,
        body: `To=%2B${ALICE.phone?.slice(1)}&Channel=sms`,
      },
    ]);
    fake.provider.failNext('generate', 'refused');
    test.clock.advanceSeconds(60);
    expect((await visitor.resend()).body).toMatchObject({ error: 'not-sent' });
    expect(test.told('denied').at(-1)).toMatchObject({ reason: 'not-sent' });
  });
});

describe('what a provider answers', () => {
  const fake = useFake(() => new FakeTwilio());
  const gateway = (): OtpGateway => twilioVerify({ ...TWILIO, baseUrl: `${fake.baseUrl}/v2` });
  const TEXT = {
    to: '+12025550123',
    message: '[PIN]',
    sender: undefined,
    validitySeconds: 300,
  };
  const TYPED = { id: `VE${'0'.repeat(32)}`, to: TEXT.to, pin: '123456' };
  const [REJECTED, RESPONSE] = ['ERR_GATEWAY_REJECTED', 'ERR_GATEWAY_RESPONSE'];

  it.each<[number, object, object]>([
    [400, {}, { code: REJECTED, mayHaveArrived: false, httpStatus: 400 }],
    [401, {}, { code: REJECTED, mayHaveArrived: false }],
    [429, { 'Retry-After': '9' }, { code: REJECTED, mayHaveArrived: false, retryAfterSeconds: 9 }],
    [429, { 'Retry-After': 'soon' }, { code: REJECTED, retryAfterSeconds: null }],
    [500, {}, { code: RESPONSE, mayHaveArrived: true, httpStatus: 500 }],
    [503, { 'Retry-After': '9' }, { code: RESPONSE, mayHaveArrived: true, retryAfterSeconds: 9 }],
    [302, { Location: '/elsewhere' }, { code: RESPONSE, mayHaveArrived: true }],
    [202, {}, { code: RESPONSE, mayHaveArrived: true }],
  ])(
    'with %i is no text and no yes, and says whether anything was done',
    async (status, headers, seen) => {
      for (const call of [() => gateway().generate(TEXT), () => gateway().validate(TYPED)]) {
        fake.provider.answerNext = { status, body: { sid: TYPED.id }, headers: { ...headers } };
        await expect(call()).rejects.toMatchObject(seen);
      }
      expect(fake.provider.requests).toHaveLength(2);
    },
  );

  it.each<[string, object]>([
    ['another verification', { sid: `VE${'1'.repeat(32)}`, status: 'approved', to: TYPED.to }],
    ['no status', { sid: TYPED.id, to: TYPED.to, valid: true }],
    ['a list', [TYPED.id, 'approved']],
  ])('to a check with %s is no yes', async (_what, body) => {
    fake.provider.answerNext = { status: 200, body };
    await expect(gateway().validate(TYPED)).rejects.toMatchObject({ code: RESPONSE });
  });

  it('is none where nobody listens: surely nothing has arrived', async () => {
    await fake.provider.close();
    await expect(gateway().generate(TEXT)).rejects.toMatchObject({
      code: 'ERR_GATEWAY_UNREACHABLE',
      mayHaveArrived: false,
    });
  });
});
