import { describe, expect, it } from '@jest/globals';
import { appFacts, type RunningApp } from 'passport-sms-otp/app-contract';
import { askAll } from './support/ask-all';
import { describeBaseApp } from './support/base-app';
import { useGateway } from './support/use-gateway';

/** Each of a prefix of its own. */
const USERS = Array.from({ length: 20 }, (_, index) => ({
  name: `user-${index}`,
  phone: `+1202${230 + index}0134`,
}));

describe('an app that goes on between the facts', () => {
  const gateway = useGateway();

  it('holds them all with twenty users, while their limits go on too', async () => {
    const app = describeBaseApp(gateway, { users: USERS });
    let running: RunningApp | undefined;
    const startOnce = async (): Promise<RunningApp> => {
      running ??= await app.start();
      return { baseUrl: running.baseUrl, close: () => undefined };
    };
    try {
      const { holds, failures } = await askAll(appFacts({ ...app, start: startOnce }));
      expect(failures.map(({ message }) => message)).toEqual([]);
      expect(holds.length).toBeGreaterThan(50);
    } finally {
      await running?.close();
    }
  });
});
