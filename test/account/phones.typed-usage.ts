/** Compiled by `npm run typecheck` and never run: `phones` is there where its option is. */
import type { RequestHandler } from 'express';
import {
  createSmsOtp,
  type PhoneBook,
  type Phones,
  type SmsOtp,
  type SmsOtpOptions,
} from 'passport-sms-otp';

declare const phoneBook: PhoneBook;
declare const options: SmsOtpOptions;
const gateway = {
  baseUrl: 'https://gateway.example',
  variant: 'B',
  username: 'u',
  password: 'p',
} as const;
const without = {
  gateway,
  secret: 'a secret of the tests, long enough to be one',
  loadUser: () => null,
  allowedCountries: ['US'],
} as const;

const { phones } = createSmsOtp({ ...without, phoneBook });

export const handlers: RequestHandler[] = [
  phones.enroll({
    successRedirect: '/code',
    replaces: true,
    maxAgeSeconds: 600,
    defaultCountry: 'US',
    showRefusal: (req, res) => res.render('phone', { reason: req.smsOtp?.reason }),
  }),
  phones.confirm({ successRedirect: '/settings', failureRedirect: '/code' }),
  phones.remove({ keepsLast: false }),
  phones.setDefault(),
  createSmsOtp({ ...options, phoneBook }).phones.enroll(),
];

/** The options may have a book or not: so may what they make. */
export const perhaps: Phones | undefined = createSmsOtp(options).phones;

/** Whatever it was made of, it is an SmsOtp. */
export const plain: SmsOtp[] = [createSmsOtp(options), createSmsOtp({ ...without, phoneBook })];

export async function describePhones(user: Express.User): Promise<string[]> {
  const list = await phones.list(user);
  return list.map(
    ({ phoneId, maskedPhone, isDefault }) => `${phoneId} ${maskedPhone} ${String(isDefault)}`,
  );
}

export const refused = [
  // @ts-expect-error There is no phone book.
  (): Phones => createSmsOtp({ ...without, getPhone: () => null }).phones,
  // @ts-expect-error There is no such option.
  () => phones.enroll({ replace: true }),
  // @ts-expect-error A number is confirmed whatever its age.
  () => phones.confirm({ maxAgeSeconds: 300 }),
];
