import { createHmac } from 'node:crypto';
import type { GatewayClient } from '../client/gateway-client';
import { expandKey } from '../client/token-crypto';
import type { Limits } from '../limits/options';
import type { ReadNumber } from '../limits/number-country';
import type { NumberKeys } from '../limits/number-keys';
import type { Policy } from '../limits/policy';
import type { BuildMessage } from '../messages/build-message';
import type { GuardedStore } from '../stores/guarded-store';
import type { UserId } from '../stores/store';
import type { SmsOtpEvent } from './events';

/** The bounds of one pending login and its challenges. */
export interface LoginSettings {
  readonly codeValiditySeconds: number;
  readonly pendingLoginSeconds: number;
  readonly maxAttempts: number;
  readonly maxSends: number;
  readonly resendCooldownSeconds: number;
  readonly limits: Limits;
}

/** Everything the decision needs, joined once by `createSmsOtp`. */
export interface LoginContext {
  readonly settings: LoginSettings;
  readonly gateway: GatewayClient;
  readonly store: GuardedStore;
  readonly policies: readonly Policy[];
  readonly buildMessage: BuildMessage;
  readonly numberKeys: NumberKeys;
  readonly readNumber: ReadNumber;
  /** The user's confirmed numbers, the default first; none when there is no usable one. */
  readonly listPhones: (user: Express.User) => Promise<readonly string[]>;
  readonly getUserId: (user: Express.User) => UserId;
  readonly loadUser: (userId: UserId) => unknown;
  readonly emit: (event: SmsOtpEvent) => void;
  /** Whether anybody hears events: what only serves them is left out else. */
  readonly hasListener: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly deriveKey: DeriveKey;
  /** From 0 to 1. */
  readonly random: () => number;
  /** A text nobody can guess. */
  readonly randomId: () => string;
}

/** Makes a key of 32 bytes for one purpose; every process with the same options makes the same. */
export type DeriveKey = (label: string) => Promise<Buffer>;

/** Derives keys from the app's secret, the first one of a list. */
export function createKeyDeriver([secret = '']: readonly string[]): DeriveKey {
  return (label) => expandKey(secret, label);
}

/** A digest of some texts, as base64url: who has no key can neither make it nor try out what it is of. */
export type KeyedDigest = (...texts: readonly string[]) => Promise<string>;

/** @param deriveKey gives the HMAC key; called at the first digest and not again unless it failed. */
export function createKeyedDigest(deriveKey: () => Promise<Buffer>): KeyedDigest {
  let key: Buffer | undefined;
  return async (...texts) => {
    key ??= await deriveKey();
    // As JSON, so that no other texts make the same.
    return createHmac('sha256', key).update(JSON.stringify(texts)).digest('base64url');
  };
}
