/** Compiled by `npm run typecheck` and never run: what is configured is there, and nothing else. */
import type { Request } from 'express';
import {
  createSmsOtp,
  type ListedDevice,
  type RecoveryCodesPart,
  type SmsOtp,
  type SmsOtpOptions,
  type TrustedDevices,
} from 'passport-sms-otp';

declare const options: SmsOtpOptions;
declare const passwords: { versionOf(user: Express.User): Promise<string> };

const gateway = {
  baseUrl: 'https://gateway.example',
  variant: 'A',
  username: 'u',
  password: 'p',
} as const;
const needed = {
  gateway,
  getPhone: () => null,
  secret: 'a secret of the tests, long enough to be one',
  loadUser: () => null,
  allowedCountries: ['US'],
} as const;

const plain = createSmsOtp(needed);
const full = createSmsOtp({
  ...needed,
  recoveryCodes: {},
  trustedDevices: { getPasswordVersion: (user) => passwords.versionOf(user), maxAgeDays: 14 },
  factors: [{ name: 'totp', isAvailable: () => true, check: ({ code }) => code.length === 6 }],
});

/** Options that are put together elsewhere: perhaps it is there, perhaps not. */
const unknown: SmsOtp = createSmsOtp(options);
const { recoveryCodes, trustedDevices, verifyWith, optionsWith } = full;

const onlyCodes = createSmsOtp({ ...needed, recoveryCodes: {} });
const onlyFactors = createSmsOtp({ ...needed, factors: [] });
declare const perhaps: Pick<SmsOtpOptions, 'recoveryCodes'>;
const perhapsCodes = createSmsOtp({ ...needed, ...perhaps });
const factorsPerhapsCodes = createSmsOtp({ ...needed, ...perhaps, factors: [] });

export const uses: readonly ((req: Request) => unknown)[] = [
  (req) => recoveryCodes.generate('alice', req).then((codes) => codes.join('\n')),
  () => trustedDevices.list(12).then((devices) => devices.map(({ label }) => label)),
  () => [
    verifyWith('recovery-code', { successRedirect: '/' }),
    verifyWith('totp'),
    optionsWith('key'),
  ],
  () => [onlyCodes.verifyWith('recovery-code'), onlyFactors.verifyWith('totp')],
  () => [factorsPerhapsCodes.verifyWith('totp'), perhapsCodes.verifyWith?.('recovery-code')],
  () => unknown.recoveryCodes?.count('alice'),
  (req) => req.user && plain.canPassSecondFactor(req.user),

  // @ts-expect-error Recovery codes are not configured.
  (): RecoveryCodesPart => plain.recoveryCodes,
  // @ts-expect-error Nor are trusted devices.
  (): TrustedDevices => plain.trustedDevices,
  // @ts-expect-error There is no other factor.
  (): typeof verifyWith => plain.verifyWith,
  // @ts-expect-error Recovery codes have no challenge.
  (): typeof optionsWith => onlyCodes.optionsWith,
  // @ts-expect-error Recovery codes may be missing, and there is no other factor.
  (): typeof verifyWith => perhapsCodes.verifyWith,
  // @ts-expect-error Nobody knows whether there is another factor.
  (): typeof verifyWith => unknown.verifyWith,
  // @ts-expect-error `verifyWith('recovery-code')` takes its place.
  (): keyof typeof full => 'recover',
  // @ts-expect-error Nobody knows whether they are configured.
  (): RecoveryCodesPart => unknown.recoveryCodes,
  // @ts-expect-error A device's token is nobody's business.
  (): keyof ListedDevice => 'tokenHash',
  // @ts-expect-error There is no such option.
  () => createSmsOtp({ ...needed, recoveryCode: {} }),
  // @ts-expect-error A device needs to know of changes of the password.
  () => createSmsOtp({ ...needed, trustedDevices: {} }),
];
