import type { Warn } from '../errors';
import type { LoginGateway } from '../gateway';
import type { KeyedDigest } from '../keys';
import type { UserBlocks } from '../limits/address-block';
import type { LimitTable } from '../limits/rows';
import type { ReadNumber } from '../limits/number-country';
import type { NumberKeys } from '../limits/number-keys';
import type { BuildMessage } from '../messages/build-message';
import type { GuardedStore } from '../stores/guarded-store';
import type { PendingState } from '../stores/pending-logins';
import type { RecordReference, UserId } from '../stores/store';
import type { SmsOtpEvent, UnusablePhone } from '../events';
import type { Feature, PreparedPut } from './feature';

export type { PendingState };

/** A pending login that has begun for a request. */
export interface BegunPending {
  readonly kind: 'begun';
  readonly state: PendingState;
  /** Whether it was begun by an earlier request, which sends its message. */
  readonly isJoined: boolean;
}

/** The bounds of one pending login and its messages. */
export interface LoginSettings {
  readonly codeValiditySeconds: number;
  readonly pendingLoginSeconds: number;
  readonly maxAttempts: number;
  readonly maxSends: number;
  readonly acceptsEarlierCode: boolean;
  readonly resendCooldownSeconds: number;
}

/** A number of a user that may get messages. */
export interface UserPhone {
  /** E.164 with plus. */
  readonly mobile: string;
  /** Whether the app says that the number is the user's. */
  readonly isConfirmed: boolean;
}

/** The numbers of a user that may get messages, the default first; or why none is known now. */
export type UserPhones = readonly UserPhone[] | { readonly found: UnusablePhone };

/** What a success changes besides counters. */
export interface PreparedSuccess {
  readonly kind: 'prepared';
  readonly puts: readonly PreparedPut[];
  /** The record that must still be there, and goes. */
  readonly replaces?: RecordReference | undefined;
}

/** The type of `Express.User['id']` where the app has declared one: what its own callbacks take. */
export type AppUserId = Express.User extends { readonly id: infer Id extends UserId } ? Id : UserId;

/** Everything the decisions need, made once by `createSmsOtp`. */
export interface Core {
  readonly warn: Warn;
  readonly settings: LoginSettings;
  readonly gateway: LoginGateway;
  readonly store: GuardedStore;
  /** In the order in which they are called. */
  readonly features: readonly Feature[];
  readonly buildMessage: BuildMessage;
  readonly numberKeys: NumberKeys;
  readonly readNumber: ReadNumber;
  /** Lists the numbers of a user. Rejects with what the app's callback throws. */
  readonly listPhones: (user: Express.User) => Promise<UserPhones>;
  readonly limits: LimitTable;
  readonly getUserId: (user: Express.User) => AppUserId;
  readonly loadUser: (userId: AppUserId) => unknown;
  readonly emit: (event: SmsOtpEvent) => void;
  /** Whether there is an `onEvent`: otherwise what only serves events is skipped. */
  readonly hasListener: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Makes a digest for each of the app's secrets: the first makes values, all are read. */
  readonly createDigests: (label: string) => readonly KeyedDigest[];
  /** Make the ids that pages use for a user's numbers. */
  readonly phoneIds: readonly KeyedDigest[];
  /** Names the blocks of a user's address without naming the user or the address. */
  readonly userBlocks: UserBlocks;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Returns a string that cannot be guessed. */
  readonly randomId: () => string;
}
