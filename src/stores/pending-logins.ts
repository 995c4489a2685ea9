import { StoreError } from '../errors';
import { jsonRecordError, parseJson } from './check-values';
import {
  type PendingLogin,
  pendingLoginSchema,
  type SentOtp,
  sentOtpSchema,
} from './record-schemas';
import type {
  AttachedOtp,
  ClaimOptions,
  FinishOptions,
  FinishResult,
  ActivePendingLogin,
  SmsOtpStore,
} from './store';

// Loads zod: `guarded-store.ts` requires this module when a store is wrapped.

/** A live pending login, parsed. */
export interface PendingState {
  readonly pending: PendingLogin;
  /** How many texts it was sent so far. */
  readonly sends: number;
  /** The newest text that is live; null: no code fits it. */
  readonly otp: SentOtp | null;
  /** The live text before that one. */
  readonly previous: SentOtp | null;
}

/** The answer to a claim, parsed. `text`: the one at which it was counted. */
export type LoginClaim =
  | ({ readonly outcome: 'claimed'; readonly attempt: number } & PendingState)
  | { readonly outcome: 'exhausted' }
  | { readonly outcome: 'unknown' };

/** The pending logins of a store, parsed. */
export interface PendingLogins {
  /**
   * Resolves to false when a live login of that id has a live text, and this one has none.
   * @param place Its purpose and browser: one login of a user and place has live texts.
   */
  readonly begin: (login: PendingLogin, place: string, text: SentOtp | null) => Promise<boolean>;
  readonly attach: (pendingId: string, text: SentOtp) => Promise<boolean>;
  readonly claim: (pendingId: string, options: ClaimOptions) => Promise<LoginClaim>;
  readonly find: (pendingId: string) => Promise<PendingState | 'passed' | null>;
  readonly end: (pendingId: string, otpId?: string) => Promise<boolean>;
  readonly endAll: (userId: string, except?: string) => Promise<void>;
  readonly finish: (pendingId: string, options: FinishOptions) => Promise<FinishResult>;
}

/**
 * What a store returns that this release has not written under that id is a `StoreError`.
 * @param now Milliseconds since 1970.
 */
export function createPendingLogins(
  store: Pick<SmsOtpStore, 'pendingLogins' | 'finish'>,
  now: () => number,
): PendingLogins {
  const { pendingLogins, finish } = store;

  return {
    async begin(login, place, text) {
      const { pendingId, userId } = login;
      const value = toValue(pendingLoginSchema.safeParse(login).success, login);
      const stored = { pendingId, userId, place, value };
      const ttlSeconds = Math.max(1, Math.ceil((login.pendingUntil - now()) / 1000));

      return pendingLogins.begin(
        text === null ? stored : { ...stored, otp: toAttached(text) },
        ttlSeconds,
      );
    },
    attach: async (pendingId, text) => pendingLogins.attach(pendingId, toAttached(text)),
    async claim(pendingId, options) {
      const claim = await pendingLogins.claim(pendingId, options);
      if (claim.outcome !== 'claimed') return claim;

      const { outcome, attempt, otpId, login } = claim;
      const counted = login.otps.find((text) => text.otpId === otpId);
      if (otpId !== null && counted === undefined) throw new StoreError('claim: unknown answer');

      return { outcome, attempt, ...toLive(pendingId, login), otp: readText(counted) };
    },
    async find(pendingId) {
      const found = await pendingLogins.find(pendingId);
      return found === null || found === 'passed' ? found : toLive(pendingId, found);
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

function toAttached(text: SentOtp): AttachedOtp {
  const value = toValue(sentOtpSchema.safeParse(text).success, text);
  return { otpId: text.otpId, value };
}

function toLive(pendingId: string, stored: ActivePendingLogin): PendingState {
  const { otps: texts } = stored;
  const { data } = pendingLoginSchema.safeParse(parseJson(stored.value));
  if (data?.pendingId !== pendingId || data.userId !== stored.userId)
    throw jsonRecordError('pending login', stored.value);

  return {
    pending: data,
    sends: stored.sends,
    otp: readText(texts[0]),
    previous: readText(texts[1]),
  };
}

function readText(stored: AttachedOtp | undefined): SentOtp | null {
  if (stored === undefined) return null;

  const { data } = sentOtpSchema.safeParse(parseJson(stored.value));
  if (data?.otpId !== stored.otpId) throw jsonRecordError('text', stored.value);
  return data;
}
