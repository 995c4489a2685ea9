import { describe, expect, it } from '@jest/globals';
import { people } from '../support/people';
import type { TestUser } from '../support/test-app';
import { enterWrongly, seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const users = people(12);

/** Two sends an hour for each block of addresses. */
const test = useOwnApps({
  users,
  options: { allowedCountries: 'any', limits: { perAddress: { max: 2 } } },
});

/** Each login is another user's, so that nothing but the address is in the way. */
async function loginsFrom(addresses: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const [index, address] of addresses.entries()) {
    const user: TestUser | undefined = users[index];
    statuses.push((await visit(test, user, { 'x-forwarded-for': address }).login()).status);
  }
  return statuses;
}

describe('the address as a key', () => {
  it('is one for every spelling and for a whole /64 (better-auth CVE-2026-45364, Nextcloud CVE-2021-22915)', async () => {
    await test.start({ trustProxy: true });
    const addresses = [
      '2001:db8::1',
      '2001:DB8:0:0:1::',
      '2001:0db8:0000:0000:ffff:ffff:ffff:ffff',
      '2001:db8::2',
    ];
    expect(await loginsFrom(addresses)).toEqual([200, 200, 429, 429]);
  });

  it('is one for an IPv4 address and its mapped form (OpenClaw GHSA-5847-rm3g-23mw)', async () => {
    await test.start({ trustProxy: true });
    expect(await loginsFrom(['192.0.2.4', '::ffff:192.0.2.4', '::FFFF:c000:0204'])).toEqual([
      200, 200, 429,
    ]);
  });

  it('keeps mapped addresses apart: one client does not stop all (express-rate-limit CVE-2026-30827)', async () => {
    await test.start({ trustProxy: true });
    const addresses = [
      '::ffff:192.0.2.4',
      '::ffff:192.0.2.4',
      '::ffff:192.0.2.4',
      '::ffff:192.0.2.5',
      '::ffff:192.0.2.6',
    ];
    expect(await loginsFrom(addresses)).toEqual([200, 200, 429, 200, 200]);
  });

  it('is that of the connection while no proxy is trusted (api-gateway CVE-2026-110726, Nextcloud CVE-2023-49792)', async () => {
    await test.start({ trustProxy: false });
    expect(await loginsFrom(['192.0.2.1', '192.0.2.2', '192.0.2.3'])).toEqual([200, 200, 429]);
  });

  it('is the one the trusted proxy saw, not the leftmost that the client wrote (api-gateway CVE-2026-110726)', async () => {
    await test.start({ trustProxy: 1 });
    const forged = [
      '10.0.0.1, 192.0.2.9',
      '10.0.0.2, 192.0.2.9',
      '10.0.0.3, 192.0.2.9',
      '10.0.0.4, 192.0.2.8',
    ];
    expect(await loginsFrom(forged)).toEqual([200, 200, 429, 200]);
  });

  it.each(['', ' ', 'unknown', '_hidden', '999.1.1.1', '\t', '::ffff:', '127.0.0.1:80'])(
    'cannot be taken away by a header: %j (Telekom CVE-2025-69615)',
    async (header) => {
      await test.start({ trustProxy: true });
      expect(await loginsFrom([header, header, header])).toEqual([200, 200, 429]);
    },
  );

  it('is never the only key: failures of a user count from everywhere (rubygems.org GHSA-c55g-q6f4-5qxr)', async () => {
    await test.start({ trustProxy: true });
    const from = (host: number): ReturnType<typeof visit> =>
      visit(test, users[0], { 'x-forwarded-for': `198.51.100.${host}` });
    for (const host of [1, 2]) {
      await from(host).login();
      test.clock.advanceSeconds(70);
    }
    const visitor = from(3);
    await visitor.login();
    await enterWrongly(visitor, 5);
    test.clock.advanceSeconds(300);
    const other = from(4);
    await other.login();
    await enterWrongly(other, 5);
    expect(seen(await from(5).login())).toEqual([
      429,
      { error: 'locked', retryAfterSeconds: expect.any(Number) },
    ]);
    expect(test.logins).toEqual([]);
  });
});
