import type { Store } from 'express-session';
import type { SmsOtpOptions, SmsOtpStore } from 'passport-sms-otp';
import type { Log } from './log';
import type { FigureShelf } from './ops/figures';
import type { People } from './people/people';
import type { EndSessions } from './stores/end-sessions';

/** What the app is handed rather than makes. */
export interface AppParts {
  readonly gateway: SmsOtpOptions['gateway'];
  /** Where the simulator shows its messages; null with a real gateway. */
  readonly inboxUrl: string | null;
  readonly people: People;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Where sessions rest. Default: this process's memory. */
  readonly sessionStore?: Store | undefined;
  /** Ends a user's other sessions. Default: by a search of the store. */
  readonly endSessions?: EndSessions | undefined;
  /** Where the library's state rests. Default: this process's memory. */
  readonly smsOtpStore?: SmsOtpStore | undefined;
  /** Where the figures for operators rest, for all processes. Default: this process's memory. */
  readonly figures?: FigureShelf | undefined;
  /** Default: nothing is written. */
  readonly log?: Log | undefined;
}

/** With what it was not handed. */
export interface LoginParts extends AppParts {
  readonly endSessions: EndSessions;
  /** Rules asked before a text message is sent. */
  readonly policies: NonNullable<SmsOtpOptions['policies']>;
  /** Hears everything the library tells. */
  readonly onEvent: NonNullable<SmsOtpOptions['onEvent']>;
}
