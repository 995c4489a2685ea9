import { StoreError } from '../errors';
import { jsonRecordError, parseJson } from './check-values';
import {
  type PendingLogin,
  pendingLoginSchema,
  type SentOtp,
  sentOtpSchema,
} from './record-schemas';
import type {
  ActivePendingLogin,
  AttachedOtp,
  BeginOptions,
  ClaimOptions,
  FinishOptions,
  FinishResult,
  NewPendingLogin,
  SmsOtpStore,
} from './store';

// This module loads zod. `guarded-store.ts` requires it when a store is wrapped.

/** An active pending login, parsed. */
export interface PendingState {
  readonly pending: PendingLogin;
  /** How many OTPs were attached so far. */
  readonly sends: number;
  /** The newest active OTP. Null: no code that was sent is accepted. */
  readonly otp: SentOtp | null;
  /** The active OTP before the newest. */
  readonly previous: SentOtp | null;
}

/** The answer to a claim, parsed. `otp`: the OTP at which the attempt was counted. */
export type LoginClaim =
  | ({ readonly outcome: 'claimed'; readonly attempt: number } & PendingState)
  | { readonly outcome: 'exhausted' }
  | { readonly outcome: 'unknown' };

/** A new pending login, with the fields that the store compares. */
export interface PendingBegin extends Pick<
  NewPendingLogin,
  'place' | 'side' | 'block' | 'sender' | 'series'
> {
  readonly pending: PendingLogin;
}

/** The answer to a begin, parsed. */
export type LoginBegun =
  | { readonly outcome: 'begun' }
  | { readonly outcome: 'joined'; readonly state: PendingState }
  | { readonly outcome: 'refused' };

/** The pending logins of a store, parsed. */
export interface PendingLogins {
  readonly begin: (
    begin: PendingBegin,
    options: Omit<BeginOptions, 'ttlSeconds'>,
  ) => Promise<LoginBegun>;
  readonly attach: (pendingId: string, otp: SentOtp, endsPrevious: boolean) => Promise<boolean>;
  readonly claim: (pendingId: string, options: ClaimOptions) => Promise<LoginClaim>;
  readonly find: (pendingId: string) => Promise<PendingState | 'passed' | null>;
  /** Like `find`, but null also for a login that has passed. */
  readonly findActive: (pendingId: string) => Promise<PendingState | null>;
  /** Returns the newest active pending login of a session that keeps its id. */
  readonly findNewest: (userId: string, series: string) => Promise<PendingState | null>;
  readonly end: (pendingId: string, otpId?: string) => Promise<boolean>;
  readonly endAll: (userId: string, except?: string) => Promise<void>;
  readonly finish: (pendingId: string, options: FinishOptions) => Promise<FinishResult>;
}

/**
 * Parses the pending logins of a store. An entry that this release has not written under its id is
 * a `StoreError`.
 * @param now Returns the time in milliseconds since 1970.
 */
export function createPendingLogins(
  store: Pick<SmsOtpStore, 'pendingLogins' | 'finish'>,
  now: () => number,
): PendingLogins {
  const { pendingLogins, finish } = store;

  async function find(pendingId: string): Promise<PendingState | 'passed' | null> {
    const found = await pendingLogins.find(pendingId);
    return found === null || found === 'passed' ? found : toState(pendingId, found);
  }

  return {
    async begin({ pending, ...compared }, options) {
      const { pendingId, userId } = pending;
      const value = toValue(pendingLoginSchema.safeParse(pending).success, pending);
      const ttlSeconds = Math.max(1, Math.ceil((pending.pendingUntil - now()) / 1000));

      const begun = await pendingLogins.begin(
        { pendingId, userId, value, ...compared },
        { ...options, ttlSeconds },
      );
      if (begun.outcome !== 'joined') return begun;
      return { outcome: 'joined', state: toState(begun.pendingId, begun.login) };
    },
    attach: async (pendingId, otp, endsPrevious) =>
      pendingLogins.attach(pendingId, toAttached(otp), { endsPrevious }),
    async claim(pendingId, options) {
      const claim = await pendingLogins.claim(pendingId, options);
      if (claim.outcome !== 'claimed') return claim;

      const { outcome, attempt, otpId, login } = claim;
      const counted = login.otps.find((otp) => otp.otpId === otpId);
      if (otpId !== null && counted === undefined) throw new StoreError('claim: unknown answer');

      return { outcome, attempt, ...toState(pendingId, login), otp: readOtp(counted) };
    },
    find,
    async findActive(pendingId) {
      const found = await find(pendingId);
      return found === 'passed' ? null : found;
    },
    async findNewest(userId, series) {
      const found = await pendingLogins.findNewest(userId, series);
      return found && toState(found.pendingId, found.login);
    },
    end: (pendingId, otpId) => pendingLogins.end(pendingId, { otpId }),
    endAll: (userId, except) => pendingLogins.endAll(userId, except),
    finish,
  };
}

function toValue(isValid: boolean, value: unknown): string {
  if (!isValid) throw new StoreError('begin: invalid record');
  return JSON.stringify(value);
}

function toAttached(otp: SentOtp): AttachedOtp {
  const value = toValue(sentOtpSchema.safeParse(otp).success, otp);
  return { otpId: otp.otpId, value };
}

function toState(pendingId: string, stored: ActivePendingLogin): PendingState {
  const [newest, previous] = stored.otps;
  const { data } = pendingLoginSchema.safeParse(parseJson(stored.value));
  if (data?.pendingId !== pendingId || data.userId !== stored.userId)
    throw jsonRecordError('pending login', stored.value);

  return {
    pending: data,
    sends: stored.sends,
    otp: readOtp(newest),
    previous: readOtp(previous),
  };
}

function readOtp(stored: AttachedOtp | undefined): SentOtp | null {
  if (stored === undefined) return null;

  const { data } = sentOtpSchema.safeParse(parseJson(stored.value));
  if (data?.otpId !== stored.otpId) throw jsonRecordError('OTP', stored.value);
  return data;
}
