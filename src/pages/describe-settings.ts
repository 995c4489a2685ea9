import type { Request } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { toDigits } from './describe-code';
import type { PageBase, SettingsPage } from './page';

/** Seconds for which a factor counts as recent for all changes in "Sign-in security". */
export const RECENT_SECONDS = 300;

/** Returns the content of the page "Sign-in security". @param user The logged-in user. */
export async function describeSettings(
  smsOtp: SmsOtp,
  base: PageBase,
  req: Request,
  user: Express.User,
): Promise<SettingsPage> {
  const { settings, recoveryCodes, trustedDevices, logins } = smsOtp;
  const userId = settings.getUserId(user);

  const isRecent = smsOtp.hasSecondFactor(req, { maxAgeSeconds: RECENT_SECONDS });
  const [numbers, recoveryCodesLeft, devices, listed, mayAdd] = await Promise.all([
    listNumbers(smsOtp, user),
    recoveryCodes?.count(userId) ?? null,
    trustedDevices?.list(userId) ?? null,
    logins?.list(userId, req) ?? null,
    isRecent || isWithoutFactor(smsOtp, user),
  ]);

  return {
    ...base,
    name: 'settings',
    mayChange: isRecent,
    mayAdd,
    confirmHref: 'confirm',
    numbers,
    recoveryCodesLeft,
    devices:
      devices?.map(({ deviceId, label, createdAt }) => ({ deviceId, label, createdAt })) ?? null,
    logins:
      listed?.map((login) => ({
        loginId: login.loginId,
        label: login.label,
        startedAt: login.startedAt,
        lastSeenAt: login.lastSeenAt,
        isCurrent: login.isCurrent,
      })) ?? null,
  };
}

/** Returns whether a user has no second factor yet. */
export async function isWithoutFactor(smsOtp: SmsOtp, user: Express.User): Promise<boolean> {
  return !(await smsOtp.canPassSecondFactor(user));
}

/** Lists a user's numbers by their last digits. Null without a phone book. */
export async function listNumbers(
  smsOtp: Pick<SmsOtp, 'phones'>,
  user: Express.User,
): Promise<SettingsPage['numbers']> {
  const listed = await smsOtp.phones?.list(user);
  return (
    listed?.map((phone) => ({
      phoneId: phone.phoneId,
      digits: toDigits(phone.maskedPhone),
      isDefault: phone.isDefault,
      isConfirmed: phone.isConfirmed,
    })) ?? null
  );
}
