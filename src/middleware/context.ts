import type { Request } from 'express';
import type { DeviceAdmin, DeviceAuthenticator } from '../account/trusted-devices';
import type { CodeVerifier } from '../login/code-verifiers';
import type { BrowserSuccess } from '../login/context';
import type { ResendRequest, ResendResult } from '../login/resend-otp';
import type { SendOtp } from '../login/send-otp';
import type { VerifiedMark } from '../login/users';
import type { VerifyOtp } from '../login/verify-otp';
import type { LiveChallenge } from '../stores/store';
import type { PassportInstance } from './passport';
import type { SessionSlot } from './session-slot';

/** Everything the middlewares share, made once by `createSmsOtp`. */
export interface MiddlewareContext {
  readonly passport: PassportInstance;
  readonly strategyName: string;
  /** Names of the fields of a request body. */
  readonly fields: { readonly code: string; readonly phone: string; readonly phoneId: string };
  readonly slot: SessionSlot;
  readonly marks: MarkReader;
  readonly sendOtp: SendOtp;
  readonly resendOtp: (request: ResendRequest) => Promise<ResendResult>;
  /** The factors whose codes can be verified, by name. `sms` is always among them. */
  readonly factors: ReadonlyMap<string, FactorVerification>;
  /** Undefined unless `trustedDevices` is configured. */
  readonly devices: DevicesContext | undefined;
  /** Returns the challenge that an OTP id stands for by now; null when none is live. */
  readonly findChallenge: (otpId: string) => Promise<LiveChallenge | null>;
  /** Ends a challenge. */
  readonly discard: (otpId: string) => Promise<void>;
  /** Returns whether the user needs the second factor: only `false` means no, and a throw means yes. */
  readonly isRequiredFor: (user: Express.User, req: Request) => Promise<boolean>;
  readonly getLocale: (user: Express.User, req: Request) => Promise<string | undefined>;
  /** Returns what the app's option of that name returns, unchecked. */
  readonly getPreferredFactor: (user: Express.User, req: Request) => Promise<unknown>;
  /** Calls the app's option of that name. Rethrows what the app throws. */
  readonly endOtherSessions: (user: Express.User, req: Request | undefined) => Promise<void>;
  readonly browsers: BrowsersContext;
  /** Ends the trust in all of the user's devices, and makes all browsers unknown, because a number has changed. */
  readonly forgetDevices: (user: Express.User, req: Request) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Verifies the codes of one factor. */
export interface FactorVerification {
  readonly verifier: CodeVerifier;
  readonly verifyOtp: VerifyOtp;
}

/** Trusted devices, and where a request names them. */
export interface DevicesContext extends DeviceAuthenticator, DeviceAdmin {
  readonly cookieName: string;
  /** The field of the request body that asks to trust the device. */
  readonly trustDeviceField: string;
}

/** Known browsers as cookies of a request. */
export interface BrowsersContext {
  /** Returns the cookie's value, unchecked. */
  readonly readCookie: (req: Request) => string | undefined;
  /** Makes the browser of a success known. */
  readonly remember: (req: Request, success: Omit<BrowserSuccess, 'cookie'>) => Promise<void>;
}

/** Whether a request's mark is good enough. */
export type MarkCheck = 'passed' | 'second-factor-required' | 'second-factor-too-old';

/** Reads the mark of a request and compares it with the current user. */
export interface MarkReader {
  /** Returns the current user's mark, or undefined: no user, no mark, another user's mark. */
  readonly read: (req: Request) => VerifiedMark | undefined;
  /**
   * Returns whether a guard lets the request pass. Allocates nothing, and is synchronous.
   * @param maxAgeMs Infinity: any age. With a finite age a trusted device never passes: the user proved nothing in this session.
   */
  readonly check: (req: Request, maxAgeMs: number) => MarkCheck;
}
