import type { BankOtp } from '../server';

/** A number as the pages show it. */
export interface ShownPhone {
  readonly phoneId: string;
  readonly digits: string;
  readonly isConfirmed: boolean;
  readonly isDefault: boolean;
}

/** Returns the user's numbers, the default first. */
export async function listPhones({ phones }: BankOtp, user: Express.User): Promise<readonly ShownPhone[]> {
  const listed = await phones.list(user);
  return listed.map(({ maskedPhone, ...phone }) => ({ ...phone, digits: maskedPhone.slice(-2) }));
}

/** Returns the last digits of the default number; null when there is none. */
export async function findDefaultDigits(smsOtp: BankOtp, user: Express.User): Promise<string | null> {
  const [first] = await listPhones(smsOtp, user);
  return first?.isConfirmed ? first.digits : null;
}
