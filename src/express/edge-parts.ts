import type { Request } from 'express';
import type { SendRequest, SendResult } from '../login/send-otp';
import type { ResendRequest, ResendResult } from '../login/resend-otp';
import type { VerifyRequest, VerifyResult } from '../login/verify-otp';
import type { MarkReader } from './mark';
import type { PassportInstance } from './passport-instance';
import type { SessionSlot } from './session-slot';

/** Everything the HTTP edge needs, joined once by `createSmsOtp`. */
export interface EdgeParts {
  readonly passport: PassportInstance;
  readonly strategyName: string;
  readonly pinField: string;
  readonly slot: SessionSlot;
  readonly marks: MarkReader;
  readonly sendOtp: (request: SendRequest) => Promise<SendResult>;
  readonly resendOtp: (request: ResendRequest) => Promise<ResendResult>;
  readonly verifyOtp: (request: VerifyRequest) => Promise<VerifyResult>;
  /** Ends a challenge. */
  readonly discard: (otpId: string) => Promise<void>;
  /** Only `false` means no; a throw means yes. */
  readonly isRequiredFor: (user: Express.User, req: Request) => Promise<boolean>;
  readonly getLocale: (user: Express.User, req: Request) => Promise<string | undefined>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
