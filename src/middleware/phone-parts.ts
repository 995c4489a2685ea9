import { createEnrollment, type Enrollment } from '../account/enrollment';
import type { PhoneBook } from '../account/phone-book';
import { createPinJudge } from '../login/code-verifiers';
import type { LoginContext } from '../login/context';
import { createVerifyOtp } from '../login/verify-otp';
import type { MiddlewareContext } from './context';

/** What the middlewares of `phones` need beside the rest of the edge. */
export interface PhoneParts {
  readonly enrollment: Enrollment;
  readonly pinField: string;
  readonly phoneField: string;
}

interface PhoneSettings {
  readonly phoneBook?: PhoneBook | undefined;
  readonly fields: { readonly code: string; readonly phone: string };
}

/** Undefined where no phone book is configured. */
export function createPhoneParts(
  login: LoginContext,
  sendOtp: MiddlewareContext['sendOtp'],
  { phoneBook, fields }: PhoneSettings,
): PhoneParts | undefined {
  if (phoneBook === undefined) return undefined;
  // A texted code proves the number: no other factor is good for it.
  const verifyOtp = createVerifyOtp(login, createPinJudge(login));
  return {
    enrollment: createEnrollment({ login, book: phoneBook, sendOtp, verifyOtp }),
    pinField: fields.code,
    phoneField: fields.phone,
  };
}
