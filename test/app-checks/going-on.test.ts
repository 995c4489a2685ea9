import { describe, expect, it } from '@jest/globals';
import { appChecks, type RunningApp } from 'passport-sms-otp/testing';
import { askAll } from './support/ask-all';
import { describeBaseApp } from './support/base-app';
import { useGateway } from './support/use-gateway';

/** Each of a prefix of its own. */
const USERS = Array.from({ length: 20 }, (_, index) => ({
  name: `user-${index}`,
  phone: `+1202${230 + index}0134`,
}));

describe('an app that goes on between the checks', () => {
  const gateway = useGateway();

  it('passes them all with twenty users, while their limits go on too', async () => {
    const app = describeBaseApp(gateway, { users: USERS });
    let running: RunningApp | undefined;
    const startOnce = async (): Promise<RunningApp> => {
      running ??= await app.start();
      return { baseUrl: running.baseUrl, close: () => undefined };
    };
    try {
      const { passed, failures } = await askAll(appChecks({ ...app, start: startOnce }));
      expect(failures.map(({ message }) => message)).toEqual([]);
      expect(passed.length).toBeGreaterThan(50);
    } finally {
      await running?.close();
    }
  });
});
