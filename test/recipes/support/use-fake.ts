import { afterEach, beforeEach } from '@jest/globals';
import type { OtpGateway } from 'passport-sms-otp';
import type { GatewayUnderTest } from 'passport-sms-otp/testing';
import type { FakeProvider } from './fake-provider';

/** A provider that is started before each test of a block, and closed after it. */
export function useFake(make: () => FakeProvider): {
  readonly provider: FakeProvider;
  readonly baseUrl: string;
} {
  const fake = { provider: make(), baseUrl: '' };
  beforeEach(async () => {
    fake.provider = make();
    fake.baseUrl = await fake.provider.start();
  });
  afterEach(() => fake.provider.close());
  return fake;
}

/** What the gateway contract asks of an adapter. @param open Opens one more for the provider. */
export function putUnderTest(
  provider: FakeProvider,
  open: (timeoutMs: number) => OtpGateway,
  secret: string,
): GatewayUnderTest {
  return {
    gateway: open(9_000),
    another: () => open(9_000),
    hasty: () => open(300),
    textsOf: (mobile) => provider.texts.get(mobile) ?? [],
    failNext: (call, failure) => provider.failNext(call, failure),
    passSeconds: (seconds) => void (provider.nowSeconds += seconds),
    secrets: [secret],
    close: () => provider.close(),
  };
}
