import { testClock } from './clock';
import { tamperedStore, type TamperedStore } from './tampered-store';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app';

/** A test app for numbers of any country, whose store can be tampered with. */
export async function startTamperedApp(
  given: Pick<TestAppOptions, 'variant' | 'users'> = {},
): Promise<{ test: TestApp; tampered: TamperedStore }> {
  const clock = testClock();
  const tampered = tamperedStore(clock);
  const options = { store: tampered.store, allowedCountries: 'any' } as const;
  return { test: await startTestApp({ ...given, clock, options }), tampered };
}
