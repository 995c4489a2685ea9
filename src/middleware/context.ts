import type { Request } from 'express';
import type { ChangedFrom, EndReason } from '../core/end-others';
import type { Warn } from '../errors';
import type { BegunPending, PendingState } from '../core/context';
import type { SecondFactor, SessionLogins } from '../core/feature';
import type { FinishedLetIn } from '../core/let-in';
import type { CreateFactorOptions } from '../core/factor-options';
import type { ResendRequest, ResendResult } from '../core/resend-otp';
import type { SendOtp } from '../core/send-otp';
import type { LetIn } from '../core/send-result';
import type { VerifiedMark } from '../core/users';
import type { VerifyOtp } from '../core/verify-otp';
import type { Visit } from '../core/visit';
import type { BeginPending } from '../core/pending';
import type { PendingLogin, UserId } from '../stores/store';
import type { ReturnPages } from './kept-page';
import type { PassportInstance } from './passport';
import type { Paths } from './paths';
import type { PendingSlot } from './session-data';
import type { SessionSlot } from './session-slot';
import type { UserFields } from './user-fields';

/** The shared context of the middlewares, made once by `createSmsOtp`. */
export interface MiddlewareContext {
  readonly passport: PassportInstance;
  readonly strategyName: string;
  /** Names of the fields of a request body. */
  readonly fields: {
    readonly code: string;
    readonly phone: string;
    readonly phoneId: string;
    readonly trustDevice: string;
  };
  readonly slot: SessionSlot;
  readonly marks: MarkReader;
  readonly sendOtp: SendOtp;
  readonly resendOtp: (request: ResendRequest) => Promise<ResendResult>;
  /** The factors whose codes can be verified, by name. `sms` is always among them. */
  readonly factors: ReadonlyMap<string, FactorVerification>;
  /** Returns whether a user can pass one of these factors now. */
  readonly hasOneOf: (user: Express.User, methods: readonly string[]) => Promise<boolean>;
  /** Whether the option `trustedDevices` is given. */
  readonly trustsDevices: boolean;
  readonly beginPending: BeginPending;
  /** Ends a pending login that no session will name. Never rejects. */
  readonly endUnused: (begun: BegunPending) => Promise<void>;
  /** Whether the message shows the transaction. It does if the gateway sends our messages. */
  readonly writesMessages: boolean;
  /** Returns a pending login while it is active, `passed` after its success. */
  readonly findPending: (pendingId: string) => Promise<PendingState | 'passed' | null>;
  /**
   * Returns the pending login that the session of a logged-in user waits for, even if another
   * request began it. Null: the session waits for none.
   */
  readonly findNewest: (req: Request) => Promise<PendingState | null>;
  /**
   * Ends a pending login of this session. One that it has joined belongs to another session and
   * stays.
   */
  readonly endOwn: (pending: Pick<PendingSlot, 'pendingId' | 'isJoined'>) => Promise<unknown>;
  /** Ends a pending login for which no code is needed. Null: it has ended before. */
  readonly finishLetIn: (letIn: LetIn, visit: Visit) => Promise<FinishedLetIn | null>;
  /** Refunds a message whose code no one can enter. */
  readonly refundUnusable: (sent: Pick<PendingLogin, 'userId' | 'bucket'>) => Promise<void>;
  /**
   * Returns whether the user needs the second factor. Any other answer than `false` counts as yes,
   * and so does an error.
   */
  readonly isRequiredFor: (user: Express.User, req: Request) => Promise<boolean>;
  readonly getLocale: (user: Express.User, req: Request) => Promise<string | undefined>;
  /** Returns what the app's option of that name returns, unchecked. */
  readonly getPreferredFactor: (user: Express.User, req: Request) => Promise<unknown>;
  /**
   * Makes a change, and ends what the user has begun, is logged in with or trusts elsewhere. Call
   * `endOtherSessions` after it, when this session has its new id.
   * @param stays What stays besides the login of the session. `pendingId` left out: the pending
   * login of the session.
   */
  readonly changeAndEnd: <Changed>(
    req: Request | undefined,
    id: UserId,
    reason: EndReason,
    change: () => Promise<Changed>,
    stays?: Pick<ChangedFrom, 'pendingId' | 'deviceId' | 'isRepeated'>,
  ) => Promise<Changed>;
  /** Calls the app's option of that name. Rethrows the app's error. */
  readonly endOtherSessions: (userId: UserId, req: Request | undefined) => Promise<void>;
  readonly getUserId: (user: Express.User) => UserId;
  readonly logins: RequestLogins;
  readonly codeValiditySeconds: number;
  /** The most attempts at one OTP. */
  readonly maxAttempts: number;
  readonly now: () => number;
  readonly warn: Warn;
  /** Undefined in production. */
  readonly userFields: UserFields | undefined;
  /** Names this process if its memory is the store; undefined: the store is shared. */
  readonly processId: string | undefined;
  readonly returnPages: ReturnPages;
  /** Where the app's pages are; undefined: each middleware has its own redirects, or none. */
  readonly paths: Paths | undefined;
  readonly setup: Setup;
}

/** What the middlewares of this instance, and the requests so far, have shown of the app. */
export interface Setup {
  /** Whether a middleware logs users into a session: `verify` sets it when it is made. */
  logsIn: boolean;
  /** Where `send` leads users who need no second factor. */
  notRequiredRedirect: string | undefined;
  /** Where `send` leads users to enter the code. */
  codePage: string | undefined;
  /** Where `send` leads users whom it refuses. */
  loginPage: string | undefined;
  /** The requests that `send` or `verify` has passed on to the next handler after a success. */
  readonly passedOn: WeakSet<Request>;
  /** Whether a request has reached `send` in this process. */
  hasSent: boolean;
  /** Whether users add numbers themselves. */
  readonly hasPhoneBook: boolean;
}

/** Verifies the codes of one factor. */
export interface FactorVerification {
  readonly factor: SecondFactor;
  readonly verifyOtp: VerifyOtp;
  /** Undefined for factors whose codes are typed. */
  readonly createOptions: CreateFactorOptions | undefined;
}

/** The logins of requests. Where no feature keeps logins, each one is active. */
export interface RequestLogins {
  /** False where no feature keeps logins. */
  readonly isOn: boolean;
  /**
   * Returns whether this request, or this process shortly before, has found a login active. Does
   * not ask the store and allocates nothing.
   */
  readonly isChecked: (req: Request, loginId: string, at: number) => boolean;
  /**
   * Returns whether the session's login is active; true if it has none. Asks the store unless it
   * was asked shortly before.
   */
  readonly isActive: (req: Request) => Promise<boolean>;
  /** Asks the store now whether the session's login is active. */
  readonly isStillActive: (req: Request) => Promise<boolean>;
  /** Replaces the session's login at once. Null: it has ended meanwhile. */
  readonly renew: SessionLogins['renew'];
  /** Ends the login of the session, if it has one. */
  readonly end: (req: Request) => Promise<void>;
}

/**
 * Whether a request's mark is good enough. `unchecked`: it is, provided that its login is active.
 */
export type MarkCheck = 'passed' | 'unchecked' | 'second-factor-required' | 'second-factor-too-old';

/** Reads the mark of a request and compares it with the current user. */
export interface MarkReader {
  /**
   * Returns the current user's mark. Undefined: there is no user or no mark, or the mark is another
   * user's.
   */
  readonly read: (req: Request) => VerifiedMark | undefined;
  /**
   * Returns whether a guard lets the request pass. Allocates nothing, and is synchronous.
   * @param maxAgeMs Infinity: any age. With a finite age a trusted device never passes: the user
   * proved nothing in this session.
   */
  readonly check: (req: Request, maxAgeMs: number, methods?: readonly string[]) => MarkCheck;
}
