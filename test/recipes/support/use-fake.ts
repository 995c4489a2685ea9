import { afterEach, beforeEach } from '@jest/globals';
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
