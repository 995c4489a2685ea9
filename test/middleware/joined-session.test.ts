import { describe, expect, it } from '@jest/globals';
import { ALICE } from '../support/test-app';
import { visit, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

/** The same headers in both requests. */
const HERE = { 'x-forwarded-for': '192.0.2.7', 'user-agent': 'One browser' };

type Sessions = Readonly<Record<'first' | 'joined', Visit>>;

describe('a session that has joined a login', () => {
  const apps = useOwnApps({ trustProxy: 1 });

  it.each<[string, (sessions: Sessions) => Promise<unknown>]>([
    ['its own resend', ({ joined }) => joined.resend()],
    ['a resend of the first session', ({ first }) => first.resend()],
  ])('leaves it to the first session when it cancels after %s', async (_name, resend) => {
    const test = await apps.start();
    const [first, joined] = [visit(test, ALICE, HERE), visit(test, ALICE, HERE)];
    await first.login();
    await joined.login();
    expect(test.told('login-joined')).toHaveLength(1);
    test.clock.advanceSeconds(60);
    await resend({ first, joined });

    expect((await joined.cancel()).status).toBe(200);
    expect((await joined.status()).body.session.pending).toBeUndefined();
    expect((await first.enterRight()).status).toBe(200);
  });
});
