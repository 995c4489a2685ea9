import type { Request } from 'express';
import type { ResendRequest, ResendResult } from '../login/resend-otp';
import type { SendRequest, SendResult } from '../login/send-otp';
import type { VerifyRequest, VerifyResult } from '../login/verify-otp';
import type { Purpose } from '../stores/store';
import type { MarkReader } from './guard';
import type { PassportInstance } from './passport';
import type { PhoneParts } from './phone-parts';
import type { RecoveryParts } from './recovery-codes';
import type { SessionSlot } from './session-slot';
import type { DeviceParts } from './trusted-devices';

/** Who judges the codes of one factor, and where they come from. */
export interface Verifier {
  /** The field of the body. */
  readonly field: string;
  /** RFC 8176. */
  readonly amr: string;
  /** What its codes are good for. */
  readonly purposes: readonly Purpose[];
  readonly verify: (request: VerifyRequest) => Promise<VerifyResult>;
}

/** Everything the HTTP edge needs, joined once by `createSmsOtp`. */
export interface MiddlewareContext {
  readonly passport: PassportInstance;
  readonly strategyName: string;
  readonly phoneIdField: string;
  readonly slot: SessionSlot;
  readonly marks: MarkReader;
  readonly sendOtp: (request: SendRequest) => Promise<SendResult>;
  readonly resendOtp: (request: ResendRequest) => Promise<ResendResult>;
  /** By the name of the factor; `sms` is always there. */
  readonly verifiers: ReadonlyMap<string, Verifier>;
  /** Only where a phone book is configured. */
  readonly phones: PhoneParts | undefined;
  /** Only where they are configured. */
  readonly recovery: RecoveryParts | undefined;
  readonly devices: DeviceParts | undefined;
  /** Ends a challenge. */
  readonly discard: (otpId: string) => Promise<void>;
  /** Only `false` means no; a throw means yes. */
  readonly isRequiredFor: (user: Express.User, req: Request) => Promise<boolean>;
  readonly getLocale: (user: Express.User, req: Request) => Promise<string | undefined>;
  /** Asks the app to end the user's other sessions; `req` is the one that stays. What the app throws goes on. */
  readonly endOtherSessions: (user: Express.User, req: Request | undefined) => Promise<void>;
  /** Trusts none of the user's devices any more: a number has changed. */
  readonly revokeDevices: (user: Express.User, req: Request) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
