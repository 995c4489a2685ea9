import { describe, expect, it } from '@jest/globals';
import { ALICE } from '../support/test-app';
import { asTestUser, HOME, NEW } from '../support/test-users';
import { useOwnApps } from '../support/use-app';
import { visitOverTls } from '../support/visit';

const apps = useOwnApps({ hasPhones: true });

describe('a change of number', () => {
  it('takes every trusted device off the list, and tells so', async () => {
    const test = await apps.start({
      options: { trustedDevices: { getPasswordVersion: (user) => asTestUser(user).id } },
    });
    const alice = visitOverTls(test);
    await alice.trust();
    const { trustedDevices } = test.smsOtp;
    expect(await trustedDevices?.list('alice')).toHaveLength(1);
    test.clock.advanceSeconds(31);
    await alice.post('/phones/enroll', { phone: NEW });
    expect((await alice.post('/phones/confirm', { pin: test.sim.lastPin(NEW) })).status).toBe(200);
    expect(await trustedDevices?.list('alice')).toEqual([]);
    expect(test.events).toContainEqual(
      expect.objectContaining({ type: 'device-revoked', userId: 'alice', reason: 'changed' }),
    );
    expect(test.ended).toHaveLength(1);
    expect(ALICE.phone).toBe(HOME);
  });
});
