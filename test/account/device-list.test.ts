import { describe, expect, it } from '@jest/globals';
import { type Visit, visitOverTls } from '../support/visit';
import { useApp } from '../support/use-app';

describe.each(['A', 'B'] as const)('logins.revokeAll, variant %s,', (variant) => {
  const test = useApp({ hasFactors: true, variant, options: { logins: {} } });
  const alice = visitOverTls(test);

  it('ends the trust in all devices, so that the password does not let in again', async () => {
    await alice.trust();
    alice.leave();
    expect((await alice.login()).body).toMatchObject({ method: 'trusted-device' });
    await expect(test.smsOtp.logins?.revokeAll('alice')).resolves.toBe(2);
    await expect(test.trustedDevices.list('alice')).resolves.toEqual([]);
    expect(test.told('device-revoked')).toMatchObject([{ userId: 'alice', reason: 'revoked' }]);
    expect((await alice.get('/account')).status).toBe(401);
    test.clock.advanceSeconds(31);
    alice.leave();
    expect((await alice.login()).body).toMatchObject({ sent: true });
  });
});

describe('smsOtp.trustedDevices', () => {
  const test = useApp({ hasFactors: true });
  const alice = visitOverTls(test);

  /** Trusts the device of another browser of the user's, an hour later. */
  async function trustAnother(): Promise<Visit> {
    test.clock.advanceSeconds(3_600);
    const browser = test.browser();
    await browser.trust();
    return browser;
  }

  it('lists what a user may know of a device, and no hash', async () => {
    await alice.trust();
    const at = test.clock.now();
    await expect(test.trustedDevices.list('alice')).resolves.toEqual([
      {
        deviceId: expect.stringMatching(/^[\w-]{22}$/),
        label: 'Firefox, Windows',
        createdAt: at,
        lastUsedAt: at,
        expiresAt: at + 30 * 86_400_000,
      },
    ]);
    await expect(test.trustedDevices.list('bob')).resolves.toEqual([]);
  });

  it('revokes one device, and leaves the others', async () => {
    await alice.trust();
    const other = await trustAnother();
    const [first] = await test.trustedDevices.list('alice');
    await expect(test.trustedDevices.revoke('alice', first?.deviceId ?? '')).resolves.toBe(true);
    expect(test.told('device-revoked')).toEqual([
      expect.objectContaining({ userId: 'alice', deviceId: first?.deviceId, reason: 'revoked' }),
    ]);
    alice.leave();
    other.leave();
    expect((await other.login()).body.method).toBe('trusted-device');
    test.clock.advanceSeconds(3_600);
    expect((await alice.login()).body.sent).toBe(true);
  });

  it('revokes the one that is meant, also of several', async () => {
    await alice.trust();
    await trustAnother();
    const [, second] = await test.trustedDevices.list('alice');
    await test.trustedDevices.revoke('alice', second?.deviceId ?? '');
    expect(test.told('device-revoked')).toMatchObject([{ deviceId: second?.deviceId }]);
  });

  it('revokes no device of another user, and none twice', async () => {
    await alice.trust();
    const [device] = await test.trustedDevices.list('alice');
    const { deviceId } = device ?? { deviceId: '' };
    await expect(test.trustedDevices.revoke('bob', deviceId)).resolves.toBe(false);
    await expect(test.trustedDevices.revoke('alice', deviceId)).resolves.toBe(true);
    await expect(test.trustedDevices.revoke('alice', deviceId)).resolves.toBe(false);
    await expect(test.trustedDevices.revoke('alice', 'no such device')).resolves.toBe(false);
    expect(test.told('device-revoked')).toHaveLength(1);
  });

  it('revokes all', async () => {
    await alice.trust();
    await trustAnother();
    await expect(test.trustedDevices.revokeAll('alice')).resolves.toBe(2);
    expect(test.told('device-revoked')).toHaveLength(2);
    await expect(test.trustedDevices.list('alice')).resolves.toEqual([]);
  });

  it('keeps five devices: the oldest goes for the sixth', async () => {
    await alice.trust();
    const [oldest] = await test.trustedDevices.list('alice');
    for (let more = 0; more < 5; more += 1) await trustAnother();
    const devices = await test.trustedDevices.list('alice');
    expect(devices).toHaveLength(5);
    expect(devices.map(({ deviceId }) => deviceId)).not.toContain(oldest?.deviceId);
  });

  it('has a device once that is trusted twice', async () => {
    await alice.trust();
    test.passwords.set('alice', 'second');
    alice.leave();
    test.clock.advanceSeconds(3_600);
    await alice.trust();
    await expect(test.trustedDevices.list('alice')).resolves.toHaveLength(1);
    alice.leave();
    expect((await alice.login()).body.method).toBe('trusted-device');
  });

  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36',
      'Chrome, Linux',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Safari/604.1',
      'Safari, iPhone',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/142.0 Safari/537.36 Edg/142.0', 'Edge, Windows'],
    [
      'Mozilla/5.0 (X11; Linux x86_64) (KHTML, like Gecko) HeadlessChrome/142.0.0.0 Safari/537.36',
      'Chrome, Linux',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) CriOS/142.0 Mobile/15E148 Safari/604.1',
      'Chrome, iPhone',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) FxiOS/144.0 Mobile/15E148 Safari/604.1',
      'Firefox, iPhone',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox, Linux'],
    [
      'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) Version/18.0 EdgiOS/142.0 Mobile Safari/604.1',
      'Edge, iPad',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) Chrome/142.0 Mobile Safari/537.36 EdgA/142.0',
      'Edge, Android',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0 Safari/537.36 OPR/124.0.0.0',
      'Opera, Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile Safari/604.1 OPT/5.4',
      'Opera, iPhone',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 12_4 like Mac OS X) OPiOS/16.0 Mobile/15E148 Safari/9537.53',
      'Opera, iPhone',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.1 Safari/605.1.15',
      'Safari, macOS',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) curl', 'macOS'],
    ['<script>alert(1)</script>', ''],
    ['x'.repeat(4_000), ''],
  ])('calls %s by our own words', async (userAgent, label) => {
    alice.userAgent = userAgent;
    await alice.trust();
    await expect(test.trustedDevices.list('alice')).resolves.toMatchObject([{ label }]);
  });

  it('goes with everything else when a user is forgotten, as the recovery codes do', async () => {
    await test.firstCodes();
    await alice.trust();
    await test.smsOtp.forgetUser('alice');
    await expect(test.trustedDevices.list('alice')).resolves.toEqual([]);
    await expect(test.recoveryCodes.count('alice')).resolves.toBe(0);
  });
});
