import { expect, it } from '@jest/globals';
import { wrongCode } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps();

it.each(['A', 'B'] as const)(
  'an app that listens to no event logs in all the same (%s)',
  async (variant) => {
    // The test app listens unless it is told otherwise.
    const silent: object = { onEvent: undefined };
    const test = await apps.start({ variant, options: silent });
    const agent = test.agent();
    await agent.post('/login').send({ username: 'alice', password: 'right' });
    const wrong = await agent.post('/login/pin').send({ pin: wrongCode(test.code()) });
    expect(wrong.status).toBe(401);
    expect((await agent.post('/login/pin').send({ pin: test.code() })).body).toMatchObject({
      verified: true,
    });
    expect(test.logins).toEqual(['alice']);
  },
);
