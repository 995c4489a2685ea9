import { describe, expect, it } from '@jest/globals';
import type { OtpGateway } from 'passport-sms-otp';
import { gatewayChecks, type GatewayUnderTest } from 'passport-sms-otp/testing';
import { vonageVerify } from '../../docs/recipes/vonage-verify';
import { ALICE } from '../support/test-app';
import { useOwnApps } from '../support/use-app';
import { seen, visit } from '../support/visit';
import { FakeVonage, VONAGE } from './support/fake-vonage';
import { putUnderTest, useFake } from './support/use-fake';

async function underTest(): Promise<GatewayUnderTest> {
  const vonage = new FakeVonage();
  const baseUrl = `${await vonage.start()}/v2/verify`;
  const open = (timeoutMs: number): OtpGateway => vonageVerify({ ...VONAGE, baseUrl, timeoutMs });
  return putUnderTest(vonage, open, VONAGE.apiSecret);
}

describe('the recipe for Vonage Verify passes the gateway checks', () => {
  it.each(gatewayChecks)('$title', async ({ run }) => {
    await expect(run(underTest)).resolves.toBeUndefined();
  });
});

describe('a login with Vonage Verify', () => {
  const test = useOwnApps();
  const visitor = visit(test);
  const fake = useFake(() => new FakeVonage());
  const lastPin = (): string => fake.provider.texts.get(ALICE.phone ?? '')?.at(-1)?.pin ?? 'none';
  const start = async (): Promise<void> => {
    const gateway = vonageVerify({ ...VONAGE, baseUrl: `${fake.baseUrl}/v2/verify` });
    await test.start({ options: { gateway } });
  };

  it('passes with the code of the text', async () => {
    await start();
    expect((await visitor.login()).body).toMatchObject({ sent: true });
    expect(seen(await visitor.enter('000000'))).toEqual([401, { error: 'invalid-code' }]);
    expect((await visitor.enter(lastPin())).body).toMatchObject({ verified: true });
  });

  it('gets no second text while the first one is good, which stays good', async () => {
    await start();
    await visitor.login();
    test.clock.advanceSeconds(60);
    expect((await visitor.resend()).body).toMatchObject({ error: 'not-sent' });
    expect(fake.provider.texts.get(ALICE.phone ?? '')).toHaveLength(1);
    expect((await visitor.enter(lastPin())).body).toMatchObject({ verified: true });
  });

  it('asks for another message at the third wrong code, which is one of the provider', async () => {
    await start();
    await visitor.login();
    for (const pin of ['000001', '000002', '000003']) await visitor.enter(pin);
    expect((await visitor.enter(lastPin())).status).toBe(401);
    expect((await visitor.status()).body).toMatchObject({ isAuthenticated: false });
    test.clock.advanceSeconds(60);
    expect((await visitor.resend()).body).toMatchObject({ sent: true });
    expect((await visitor.enter(lastPin())).body).toMatchObject({ verified: true });
  });
});
