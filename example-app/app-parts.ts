import type { Store } from 'express-session';
import type { SmsOtpOptions, SmsOtpStore } from 'passport-sms-otp';
import type { Log } from './log';
import type { FigureStore } from './ops/figures';
import type { UserData } from './users/open-users';

/** The dependencies of the app. */
export interface AppParts {
  readonly gateway: SmsOtpOptions['gateway'];
  /** Where the simulator shows its messages; null with a real gateway. */
  readonly inboxUrl: string | null;
  readonly userData: UserData;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Where sessions are kept. Default: this process's memory. */
  readonly sessionStore?: Store | undefined;
  /** Where the library's state is kept. Default: this process's memory. */
  readonly smsOtpStore?: SmsOtpStore | undefined;
  /** Where the figures for operators are kept, for all processes. Default: this process's memory. */
  readonly figures?: FigureStore | undefined;
  /** Default: nothing is written. */
  readonly log?: Log | undefined;
}

/** The dependencies with their defaults filled in. */
export interface LoginParts extends AppParts {
  /** Rules that run before a text message is sent. */
  readonly policies: NonNullable<SmsOtpOptions['policies']>;
  /** Called with every event of the library. */
  readonly onEvent: NonNullable<SmsOtpOptions['onEvent']>;
}
