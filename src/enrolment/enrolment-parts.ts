import type { LoginParts } from '../login/login-parts';
import type { SendRequest, SendResult } from '../login/send-otp';
import type { VerifyRequest, VerifyResult } from '../login/verify-otp';
import type { PhoneBook } from './phone-book';

/** Everything the decisions about numbers need, joined once by `createSmsOtp`. */
export interface EnrolmentParts {
  readonly login: LoginParts;
  readonly book: PhoneBook;
  readonly sendOtp: (request: SendRequest) => Promise<SendResult>;
  /** Judges texted codes. */
  readonly verifyOtp: (request: VerifyRequest) => Promise<VerifyResult>;
}
