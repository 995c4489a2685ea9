import type { Challenge } from '../stores/store';
import type { LoginContext } from './context';
import type { PhoneChoice, Reason } from './outcome';

/** Returns whether a value is an E.164 number with its plus: 7 to 15 digits, the first not zero. */
export function isPhoneNumber(value: unknown): value is string {
  return typeof value === 'string' && /^\+[1-9][0-9]{6,14}$/.test(value);
}

/** Returns what may be shown of a number: the last two digits. Length and country stay hidden. */
export function maskPhone(mobile: string): string {
  return `•• •• ${mobile.slice(-2)}`;
}

/** Returns a number as a page may show it: an id that reveals nothing, and its last two digits. */
export async function describePhone(
  { numberKeys }: Pick<LoginContext, 'numberKeys'>,
  mobile: string,
): Promise<PhoneChoice> {
  const { number } = await numberKeys(mobile);
  return { phoneId: number, maskedPhone: maskPhone(mobile) };
}

/** The number to be proven, and the confirmed one that it replaces. */
export interface NewPhone {
  readonly mobile: string;
  readonly replaces: string | undefined;
}

/** Whose number a code is sent to. */
export interface PhoneQuestion {
  readonly user: Express.User;
  readonly previous: Challenge | undefined;
  /** What the form chose, unchecked. Undefined: the number of the previous challenge, otherwise the default. */
  readonly phoneId?: unknown;
  /** Purpose `enroll` only. */
  readonly newPhone?: NewPhone | undefined;
}

export type ChosenPhone =
  | { readonly mobile: string; readonly phones: readonly PhoneChoice[] }
  | { readonly reason: Extract<Reason, 'no-phone' | 'user-gone'> };

/** Finds the number a code is sent to: only a number of the user's, or the new one that is being enrolled. */
export async function choosePhone(login: LoginContext, question: PhoneQuestion): Promise<ChosenPhone> {
  const { user, previous, newPhone, phoneId } = question;
  if (newPhone !== undefined) {
    // The enrollment has parsed it: only a record that a store has changed is refused here.
    return isPhoneNumber(newPhone.mobile) ? { mobile: newPhone.mobile, phones: [] } : { reason: 'no-phone' };
  }
  const mobiles = await login.listPhones(user);
  const [first] = mobiles;
  // Where no text went out, another number of the user's is as good.
  if (previous?.isSent === true && !mobiles.includes(previous.mobile)) return { reason: 'user-gone' };
  if (first === undefined) return { reason: 'no-phone' };
  const usual = mobiles.find((mobile) => mobile === previous?.mobile) ?? first;
  if (mobiles.length === 1 && phoneId === undefined) return { mobile: usual, phones: [] };
  const choices = await Promise.all(mobiles.map((mobile) => describePhone(login, mobile)));
  const phones = choices.length > 1 ? choices : [];
  if (phoneId === undefined) return { mobile: usual, phones };
  const chosen = mobiles[choices.findIndex((choice) => choice.phoneId === phoneId)];
  return chosen === undefined ? { reason: 'no-phone' } : { mobile: chosen, phones };
}
