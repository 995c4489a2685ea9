import type { GatewayClient } from '../client/gateway-client';
import type { Counter, CounterStore, NoteStore, Purpose } from '../stores/store';
import type { NumberOrigin } from './number-country';

/** Whether a policy's no counts, or is only told as an event. */
export type PolicyMode = NonNullable<Policy['mode']>;

/** When a policy is asked: before every text message, or before a number is enrolled. */
export type PolicyStage = 'send' | 'enroll';

/** What every question to a policy brings along. */
export interface PolicyTools {
  /** The gateway's client, for price lists and lookups. */
  readonly gateway: Pick<GatewayClient, 'otp' | 'hlr' | 'variant'>;
  /** Counters of the store. Prefix keys with the policy's name. */
  readonly counters: CounterStore;
  /** Undefined when the store keeps no notes. */
  readonly notes: NoteStore | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Tells the app of something that is no decision. */
  readonly emit: (event: PolicyEvent) => void;
}

/** A number, whose it is, and how it may be counted without being told. */
interface AboutNumber extends PolicyTools {
  readonly userId: string;
  readonly purpose: Purpose;
  /** E.164 with plus. */
  readonly mobile: string;
  /** Country and type of the number, read once for all who ask. Left out: whoever asks reads it. */
  readonly origin?: (() => Promise<NumberOrigin>) | undefined;
  /** HMACs under which the number, and the number less its last four digits, are counted. */
  readonly numberKey: string;
  readonly prefixKey: string;
}

/** What a policy may look at before a text message is sent. */
export interface PolicyContext<User = Express.User> extends AboutNumber {
  readonly stage: PolicyStage;
  readonly user: User;
  /** The client's address as Express gives it (`req.ip`); undefined when there is none. */
  readonly address: string | undefined;
}

/** What a policy hears when a code was right. */
export interface VerifiedContext extends AboutNumber {
  /** True when no code was ever right on this number before. */
  readonly isNewNumber: boolean;
  /** Milliseconds since 1970 of the send whose code was right, and which send of its pending login that was, from 1. */
  readonly sentAt: number;
  readonly sends: number;
}

/** What became of a send that the policies had allowed. */
export type SendSettlement =
  /** `cost`: what the gateway says it cost, a decimal (variant B), else null. */
  | { readonly kind: 'sent'; readonly cost: string | null }
  /** Nothing was sent for certain. */
  | { readonly kind: 'not-sent' }
  /** The answer was lost: it may have been sent. */
  | { readonly kind: 'unknown' };

/** The reasons a policy may give. */
export type PolicyReason = 'denied' | 'country-not-allowed' | 'send-limit' | 'unsuitable-phone';

/** A policy's answer. */
export type PolicyAnswer =
  | 'allow'
  | {
      readonly deny: PolicyReason;
      readonly retryAfterSeconds?: number | undefined;
      /** Why, for the event: a few words without any number of a phone. */
      readonly reasons?: readonly string[] | undefined;
    };

/** A counter that is charged with the send, in its one round trip: all or none. Full or locked, it denies. */
export interface PolicyCharge {
  readonly counter: Counter;
  /** Default: `send-limit`. */
  readonly deny?: PolicyReason;
  /** Why, for the event. */
  readonly reason: string;
}

/** One rule that is asked before money is spent. A throw denies. */
export interface Policy<User = Express.User> {
  /** Shown in events. */
  readonly name: string;
  readonly stage: PolicyStage;
  /** `record`: its no is told as an event and changes nothing. Default: `deny`. */
  readonly mode?: 'enforce' | 'report' | undefined;
  check(context: PolicyContext<User>): PolicyAnswer | Promise<PolicyAnswer>;
  /** Counters to charge once every policy has allowed; asked at stage `send` only. A throw denies. */
  charges?(context: PolicyContext<User>): readonly PolicyCharge[] | Promise<readonly PolicyCharge[]>;
  /** Hears what became of the send, once for each send that was charged (stage `send` only). A throw changes nothing. */
  settle?(context: PolicyContext<User>, settlement: SendSettlement): unknown;
  /** Hears of each right code, text messages only. A throw changes nothing. */
  verified?(context: VerifiedContext): unknown;
}

/** What policies tell beside their decisions. */
export type PolicyEvent =
  /** The gateway's balance passed a level. Amounts are decimals in the gateway's currency. */
  | { readonly type: 'balance-low'; readonly level: 'warning' | 'critical'; readonly balance: string }
  | { readonly type: 'balance-recovered'; readonly balance: string }
  /** The balance fell by more than this installation has sent for. */
  | { readonly type: 'unexplained-spend'; readonly spent: string; readonly explained: string }
  /** The price list could not be had, or has rows that cannot be used. */
  | { readonly type: 'price-list-problem'; readonly problem: string; readonly rows: number }
  /** A block by conversion begins; it ends by itself after so many seconds. `scope`: `prefix`, `country FR`, `network 208-01`. */
  | { readonly type: 'conversion-blocked'; readonly scope: string; readonly blockedSeconds: number }
  /** No numbers are looked up: until a restart (`no-permission`), until there is money again, or for a minute. Told once. */
  | { readonly type: 'lookups-stopped'; readonly reason: 'no-permission' | 'no-balance' | 'failing' }
  | { readonly type: 'lookups-resumed' }
  /** A lookup did not say that a number is good, and it is texted all the same. See `numberCheck`. */
  | { readonly type: 'number-doubtful'; readonly userId: string; readonly reason: string }
  /** The subscriber identity behind a number differs from the one seen before. A hint, no proof: see `simSwap`. */
  | { readonly type: 'sim-swap-hint'; readonly userId: string; readonly hint: string };
