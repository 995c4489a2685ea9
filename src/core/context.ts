import type { Warn } from '../errors';
import type { LoginGateway } from '../gateway';
import type { KeyedDigest } from '../keys';
import type { UserBlocks } from '../limits/address-block';
import type { LimitTable } from '../limits/rows';
import type { ReadNumber } from '../limits/number-country';
import type { AddressKeys, NumberKeys } from '../limits/number-keys';
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
  /** Whether an earlier request began it. That request sends its message. */
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
  /** Whether the app confirms that the number is the user's. */
  readonly isConfirmed: boolean;
}

/**
 * The numbers of a user that may get messages, the default first; or why they are not known now.
 */
export type UserPhones = readonly UserPhone[] | { readonly found: UnusablePhone };

/** What a success changes besides counters. */
export interface PreparedSuccess {
  readonly kind: 'prepared';
  readonly puts: readonly PreparedPut[];
  /** The record that the success removes. If it is missing by then, the success fails. */
  readonly replaces?: RecordReference | undefined;
}

/**
 * The type of `Express.User['id']` where the app has declared one: the type that the app's
 * callbacks take.
 */
export type AppUserId = Express.User extends { readonly id: infer Id extends UserId } ? Id : UserId;

/** The shared context of all decisions, made once by `createSmsOtp`. */
export interface Core {
  readonly warn: Warn;
  readonly settings: LoginSettings;
  /** Sends codes by text message. */
  readonly gateway: LoginGateway;
  readonly store: GuardedStore;
  /** In the order in which they are called. */
  readonly features: readonly Feature[];
  readonly buildMessage: BuildMessage;
  readonly numberKeys: NumberKeys;
  readonly addressKeys: AddressKeys;
  readonly readNumber: ReadNumber;
  /** Lists the numbers of a user. Rejects with what the app's callback throws. */
  readonly listPhones: (user: Express.User) => Promise<UserPhones>;
  readonly limits: LimitTable;
  readonly getUserId: (user: Express.User) => AppUserId;
  readonly loadUser: (userId: AppUserId) => unknown;
  readonly emit: (event: SmsOtpEvent) => void;
  /** Whether there is an `onEvent`. Without one, work that only serves events is skipped. */
  readonly hasListener: boolean;
  /** Returns the time. All times here are milliseconds since 1970. */
  readonly now: () => number;
  /** Makes one digest per secret of the app: the first creates values, all of them are accepted. */
  readonly createDigests: (label: string) => readonly KeyedDigest[];
  /** Make the ids that pages use for a user's numbers. */
  readonly phoneIds: readonly KeyedDigest[];
  /** Names a user's address blocks without revealing the user or the address. */
  readonly userBlocks: UserBlocks;
  readonly random: () => number;
  /** Returns a string that cannot be guessed. */
  readonly randomId: () => string;
}
