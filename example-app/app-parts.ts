import type { Store } from 'express-session';
import type { SmsOtpOptions, SmsOtpStore } from 'passport-sms-otp';

/** What the app is handed rather than makes. */
export interface AppParts {
  readonly gateway: SmsOtpOptions['gateway'];
  /** Where the simulator shows its messages; null with a real gateway. */
  readonly inboxUrl: string | null;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Where sessions rest. Default: this process's memory. */
  readonly sessionStore?: Store | undefined;
  /** Where the library's state rests. Default: this process's memory. */
  readonly smsOtpStore?: SmsOtpStore | undefined;
}
