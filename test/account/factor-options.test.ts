import { describe, expect, it } from '@jest/globals';
import { createSmsOtp, memoryStore, type SmsOtp, type SmsOtpOptions } from 'passport-sms-otp';

const device = { getPasswordVersion: () => 'first' };

function create(given: object): SmsOtp {
  const options = {
    gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
    getPhone: () => null,
    secret: 'a secret of the tests, long enough to be one',
    loadUser: () => null,
    allowedCountries: 'any',
    ...given,
  } as const;
  // What is wrong with them is what the tests are about.
  return createSmsOtp(options as SmsOtpOptions);
}

describe('createSmsOtp', () => {
  it('has recovery codes, trusted devices and other factors only where they are configured', () => {
    const parts = ['recoveryCodes', 'trustedDevices', 'verifyWith', 'optionsWith'] as const;
    const own = create({});
    for (const part of parts) expect(part in own).toBe(false);
    const factor = { name: 'totp', isAvailable: () => true, check: () => true };
    const all = create({ recoveryCodes: {}, trustedDevices: device, factors: [factor] });
    for (const part of parts) expect(part in all).toBe(true);
    expect(Object.keys(all.trustedDevices ?? {})).toEqual(['list', 'revoke', 'revokeAll']);
    const [codes, factors] = [create({ recoveryCodes: {} }), create({ factors: [factor] })];
    expect(['verifyWith' in codes, 'optionsWith' in codes]).toEqual([true, false]);
    expect(['verifyWith' in factors, 'optionsWith' in factors]).toEqual([true, true]);
  });

  it.each(['pendingLogins', 'counters', 'records', 'tokens', 'finish'] as const)(
    'refuses a store without %s, whatever is configured',
    (part) => {
      const { [part]: _left, ...store } = memoryStore();
      expect(() => create({ store })).toThrow(TypeError);
      expect(() => create({ store })).toThrow(
        `createSmsOtp: store must be a store, such as memoryStore() or redisStore(client); the one given has no \`${part}\``,
      );
    },
  );

  it.each([
    [{ recoveryCodes: { count: 4 } }, 'recoveryCodes.count'],
    [{ recoveryCodes: { count: 21 } }, 'recoveryCodes.count'],
    [{ recoveryCodes: { length: 8 } }, 'recoveryCodes.length'],
    [{ trustedDevices: {} }, 'trustedDevices.getPasswordVersion'],
    [{ trustedDevices: { ...device, maxAgeDays: 91 } }, 'trustedDevices.maxAgeDays'],
    [{ factors: [{ name: 'recovery-code', check: () => true }] }, 'factors[0]'],
  ])('refuses %j by its name', (options, name) => {
    expect(() => create(options)).toThrow(
      `createSmsOtp: ${name.includes('length') ? 'unknown option ' : ''}${name}`,
    );
  });

  const TOTP = { name: 'totp', isAvailable: () => true, check: () => true };
  it.each<[object, readonly string[], readonly string[]]>([
    [{ factors: [TOTP], recoveryCodes: {} }, ['recovery-code', 'totp'], []],
    [{ factors: [TOTP] }, ['totp'], ['recovery-code']],
    [{ recoveryCodes: {} }, ['recovery-code'], ['totp']],
  ])(
    'makes verifyWith for the factors of %j, and names them for any other',
    (options, names, others) => {
      const { verifyWith } = create(options);
      for (const name of names) expect(verifyWith?.(name)).toBeInstanceOf(Function);

      const listed = names.map((name) => `'${name}'`).join(', ');
      const message = `verifyWith: factor must be another factor of this app: ${listed}`;
      for (const name of [...others, 'yubikey', 'trusted-device', '__proto__'])
        expect(() => verifyWith?.(name)).toThrow(new TypeError(message));
      const texted = new TypeError(`${message}; verify() verifies codes that are sent`);
      expect(() => verifyWith?.('sms')).toThrow(texted);
    },
  );
});
