import type { Balance, NetworkPrice, PriceList } from '../protocol/account';
import type { CountryPrice, Lookup } from '../protocol/hlr';
import type { Variant } from '../protocol/paths';
import type { Counter, CounterStore, NoteStore, Purpose } from '../stores/store';
import type { NumberOrigin } from './number-country';

/** A rule that is checked before money is spent. If it throws, the send is denied. */
export interface Policy<User = Express.User> {
  /** The name that events show. */
  readonly name: string;
  readonly stage: PolicyStage;
  /** Whether a denial takes effect. Default: `enforce`. */
  readonly mode?: PolicyMode | undefined;
  /**
   * Whether it uses `gateway` of its context. If so, `createSmsOtp` refuses it together with a
   * gateway of the app. Default: false.
   */
  readonly needsClient?: boolean | undefined;
  /**
   * Whether its check pays for a lookup or uses the result of one. If so, it is checked after all
   * others, and only if the limits would admit the send. Default: false.
   */
  readonly needsLookup?: boolean | undefined;
  check(context: PolicyContext<User>): PolicyAnswer | Promise<PolicyAnswer>;
  /**
   * Returns the counters to charge once every policy has allowed the send. Called at stage `send`
   * only, and once more before a policy with `needsLookup` is checked: then a counter that is used
   * up refuses the send, and nothing is charged. If it throws, the send is denied.
   */
  charges?(
    context: PolicyContext<User>,
  ): readonly PolicyCharge[] | Promise<readonly PolicyCharge[]>;
  /**
   * Called with the result of each send that was charged (stage `send` only). An error has no
   * effect.
   */
  settle?(context: PolicyContext<User>, settlement: SendSettlement): unknown;
  /**
   * Called after each lookup that a policy has paid for, with the cost that was passed to
   * `reportCost`. An error has no effect.
   */
  spent?(context: PolicyContext<User> | VerifiedContext, cost: string | null): unknown;
  /** Called after each right code that was sent by text message. An error has no effect. */
  verified?(context: VerifiedContext): unknown;
}

/** When a policy is checked: before every text message, or before a number is enrolled. */
export type PolicyStage = 'send' | 'enroll';

/** `enforce`: a denial takes effect. `report`: a denial is only reported as an event. */
export type PolicyMode = 'enforce' | 'report';

/** A policy's answer. */
export type PolicyAnswer =
  | 'allow'
  | {
      readonly deny: PolicyReason;
      readonly retryAfterSeconds?: number | undefined;
      /** The reasons to show in the event: a few words without any phone number. */
      readonly reasons?: readonly string[] | undefined;
    };

/** The reasons a policy can return. */
export type PolicyReason =
  | 'denied'
  | 'country-not-allowed'
  | 'send-limit'
  | 'unknown-range'
  | 'unsuitable-phone';

/**
 * A counter that is charged together with the send: all counters or none. If it is used up or
 * locked, the send is denied.
 */
export interface PolicyCharge {
  readonly counter: Counter;
  /** The reason of the denial. Default: `send-limit`. */
  readonly deny?: PolicyReason;
  /** The reason to show in the event. */
  readonly reason: string;
}

/** The services that a policy can use. */
export interface PolicyServices {
  /**
   * The gateway's client, for price lists and lookups. With a gateway of the app, reading its
   * fields throws. Set `needsClient` to find out at start.
   */
  readonly gateway: PolicyGateway;
  /** The store's counters. Begin every key with the policy's name. */
  readonly counters: CounterStore;
  /** Short strings in the store, under a key. Begin every key with the policy's name. */
  readonly notes: NoteStore;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  /** Emits an event that is not a decision. */
  readonly emit: (event: PolicyEvent) => void;
}

/** The parts of a `GatewayClient` that policies use: prices, balances and number lookups. */
export interface PolicyGateway {
  readonly variant: Variant;
  readonly otp: {
    balance(): Promise<Balance>;
    pricing(): Promise<PriceList<NetworkPrice>>;
  };
  readonly hlr: {
    lookup(mobile: string): Promise<Lookup>;
    balance(): Promise<Balance>;
    pricing(): Promise<PriceList<CountryPrice>>;
  };
}

/** A number, its user, and the keys that count the number without revealing it. */
export interface NumberContext extends PolicyServices {
  readonly userId: string;
  readonly purpose: Purpose;
  /** E.164 with plus. */
  readonly mobile: string;
  /**
   * Returns the country and type of the number, which is read once for all policies. If undefined,
   * each policy reads it.
   */
  readonly origin?: (() => Promise<NumberOrigin>) | undefined;
  /** HMACs under which the number, and the number without its last four digits, are counted. */
  readonly numberKey: string;
  readonly prefixKey: string;
  /**
   * `known`: the user has passed the second factor in this browser before. Each side has its own
   * limits, so that an attacker who has the password can use up only those of `others`.
   */
  readonly side?: 'known' | 'others' | undefined;
  /**
   * Returns the counters of one paid lookup: per address block (not after a right code), per prefix
   * and in all. Charge them before each lookup.
   */
  readonly lookupCounters?: (() => readonly Counter[]) | undefined;
  /**
   * Reports a lookup that was paid for, so that budgets count it. `cost` is a decimal string in the
   * gateway's currency, or null if it is not known. Never rejects.
   */
  readonly reportCost?: ((cost: string | null) => Promise<void>) | undefined;
}

/** The context of a policy's check, before a text message is sent. */
export interface PolicyContext<User = Express.User> extends NumberContext {
  readonly stage: PolicyStage;
  readonly user: User;
  /** The client's address as Express returns it (`req.ip`). Undefined if there is none. */
  readonly address: string | undefined;
  /**
   * Keys of counters. One of them is above zero if this user has entered a code that was sent to
   * this number. Pass them to `exemptBy`.
   */
  readonly provenKeys: readonly string[];
  /** Whether the app says that the number is the user's. Undefined counts as false. */
  readonly isConfirmed?: boolean | undefined;
}

/** The context of a policy after a right code. */
export interface VerifiedContext extends NumberContext {
  /** True if this user had not entered a code that was sent to this number before. */
  readonly isNewNumber: boolean;
  /**
   * When the code was sent, in milliseconds since 1970. `sends` is the position of that send
   * in its pending login, from 1.
   */
  readonly sentAt: number;
  readonly sends: number;
}

/** The result of a send that the policies have allowed. */
export type SendSettlement =
  /**
   * `cost`: the price that the gateway reports (variant B), as a decimal string, otherwise null.
   */
  | { readonly kind: 'sent'; readonly cost: string | null }
  /** Certainly nothing was sent. */
  | { readonly kind: 'not-sent' }
  /** The answer was lost: the message may have been sent. */
  | { readonly kind: 'unknown' };

/** Events of policies that are not decisions. */
export type PolicyEvent =
  /** The price list could not be fetched, or has rows that cannot be used. */
  | { readonly type: 'price-list-problem'; readonly problem: string; readonly rows: number }
  /**
   * Four fifths of a budget of `spendLimits` are used up. Emitted once per day or month. `scope`:
   * `all`, `country FR`, `user`. `isProven`: it is the budget of proven numbers. `userId`: the user
   * of this message. Amounts are decimal strings.
   */
  | {
      readonly type: 'budget-near';
      readonly userId: string;
      readonly budget: 'daily' | 'monthly';
      readonly scope: string;
      readonly isProven: boolean;
      readonly spent: string;
      readonly max: string;
    }
  /**
   * A block by conversion begins. It ends by itself after `blockedSeconds`. `scope`: `prefix`,
   * `country FR`, `network 208-01`.
   */
  | { readonly type: 'conversion-blocked'; readonly scope: string; readonly blockedSeconds: number }
  /**
   * Numbers are no longer looked up: until a restart (`no-permission`), until the balance is topped
   * up, or for a minute. Emitted once.
   */
  | {
      readonly type: 'lookups-stopped';
      readonly reason: 'no-permission' | 'no-balance' | 'failing';
    }
  | { readonly type: 'lookups-resumed' }
  /**
   * A message is sent to a number although its lookup did not confirm that it is good. See
   * `numberCheck`.
   */
  | { readonly type: 'number-doubtful'; readonly userId: string; readonly reason: string }
  /** The provider of `simSwap` has a sign that the SIM of a number was changed. Not a proof. */
  | { readonly type: 'sim-swap-hint'; readonly userId: string; readonly hint: string };
