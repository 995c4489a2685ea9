import type { Balance, NetworkPrice, PriceList } from '../protocol/account';
import type { CountryPrice, Lookup } from '../protocol/hlr';
import type { Variant } from '../protocol/paths';
import type { Counter, CounterStore, NoteStore, Purpose } from '../stores/store';
import type { NumberOrigin } from './number-country';

/** One rule that is checked before money is spent. A throw denies. */
export interface Policy<User = Express.User> {
  /** Shown in events. */
  readonly name: string;
  readonly stage: PolicyStage;
  /** Default: `enforce`. */
  readonly mode?: PolicyMode | undefined;
  /**
   * Whether it uses `gateway` of its context: then `createSmsOtp` refuses it together with a
   * gateway of the app. Default: false.
   */
  readonly needsClient?: boolean | undefined;
  /**
   * Whether its check pays for a lookup, or uses what such a lookup has found. It is then checked
   * after all others, and only about a send that the limits would admit. Default: false.
   */
  readonly needsLookup?: boolean | undefined;
  check(context: PolicyContext<User>): PolicyAnswer | Promise<PolicyAnswer>;
  /**
   * Returns the counters to charge once every policy has allowed the send. Called at stage `send`
   * only, and once more before a policy with `needsLookup` is checked: a full counter refuses the
   * send then, and nothing is charged. A throw denies.
   */
  charges?(
    context: PolicyContext<User>,
  ): readonly PolicyCharge[] | Promise<readonly PolicyCharge[]>;
  /**
   * Called with what became of a send, once for each send that was charged (stage `send` only). A
   * throw changes nothing.
   */
  settle?(context: PolicyContext<User>, settlement: SendSettlement): unknown;
  /**
   * Called after each lookup that a policy has paid for, with its cost as `reportCost` was given
   * it. A throw changes nothing.
   */
  spent?(context: PolicyContext<User> | VerifiedContext, cost: string | null): unknown;
  /** Called after each right code that came by text message. A throw changes nothing. */
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
      /** Why, for the event: a few words without any phone number. */
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
 * A counter that is charged together with the send: all counters or none. A full or locked one
 * denies the send.
 */
export interface PolicyCharge {
  readonly counter: Counter;
  /** Default: `send-limit`. */
  readonly deny?: PolicyReason;
  /** Why, for the event. */
  readonly reason: string;
}

/** The services that a policy can use in every call. */
export interface PolicyServices {
  /**
   * The gateway's client, for price lists and lookups. With a gateway of the app reading its parts
   * throws, and `needsClient` says so at start.
   */
  readonly gateway: PolicyGateway;
  /** The store's counters. Begin every key with the policy's name. */
  readonly counters: CounterStore;
  /** Short strings in the store, under a key. Begin every key with the policy's name. */
  readonly notes: NoteStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Emits an event that is not a decision. */
  readonly emit: (event: PolicyEvent) => void;
}

/** What policies use of a `GatewayClient`: prices, balances and number lookups. */
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
   * Returns the country and type of the number, which is read once for all policies. Undefined:
   * each policy reads it.
   */
  readonly origin?: (() => Promise<NumberOrigin>) | undefined;
  /** HMACs under which the number, and the number without its last four digits, are counted. */
  readonly numberKey: string;
  readonly prefixKey: string;
  /**
   * `known`: the user has passed the second factor in this browser before. Each side has limits of
   * its own, so that an attacker who has the password uses up those of `others` alone.
   */
  readonly side?: 'known' | 'others' | undefined;
  /**
   * Returns the counters of one paid lookup: per address block (not after a right code), per prefix
   * and in all. Charge them before each one.
   */
  readonly lookupCounters?: (() => readonly Counter[]) | undefined;
  /**
   * Reports a lookup that was paid for, so that budgets count it. `cost` is a decimal string in the
   * gateway's currency; null: it is not known. Never rejects.
   */
  readonly reportCost?: ((cost: string | null) => Promise<void>) | undefined;
}

/** The context of a policy's check, before a text message is sent. */
export interface PolicyContext<User = Express.User> extends NumberContext {
  readonly stage: PolicyStage;
  readonly user: User;
  /** The client's address as Express returns it (`req.ip`); undefined when there is none. */
  readonly address: string | undefined;
  /**
   * The keys of counters of which one is above zero when this user has entered a code that was
   * texted to this number. Pass them to `exemptBy`.
   */
  readonly provenKeys: readonly string[];
  /** Whether the app says that the number is the user's. Undefined counts as false. */
  readonly isConfirmed?: boolean | undefined;
}

/** The context of a policy after a right code. */
export interface VerifiedContext extends NumberContext {
  /** True when this user had not entered a code that was texted to this number before. */
  readonly isNewNumber: boolean;
  /**
   * When the code was sent, in milliseconds since 1970, and the position of that send in its
   * pending login, from 1.
   */
  readonly sentAt: number;
  readonly sends: number;
}

/** The result of a send that the policies had allowed. */
export type SendSettlement =
  /**
   * `cost`: the price that the gateway reports, as a decimal string (variant B); otherwise null.
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
   * Four fifths of a budget of `spendLimits` are used up; emitted once in its day or month.
   * `scope`: `all`, `country FR`, `user`. `isProven`: the budget is that of proven numbers.
   * `userId` is whose message it was. Amounts are decimal strings.
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
   * A block by conversion begins; it ends by itself after `blockedSeconds`. `scope`: `prefix`,
   * `country FR`, `network 208-01`.
   */
  | { readonly type: 'conversion-blocked'; readonly scope: string; readonly blockedSeconds: number }
  /**
   * Numbers are no longer looked up: until a restart (`no-permission`), until there is money again,
   * or for a minute. Emitted once.
   */
  | {
      readonly type: 'lookups-stopped';
      readonly reason: 'no-permission' | 'no-balance' | 'failing';
    }
  | { readonly type: 'lookups-resumed' }
  /** A number is texted although its lookup did not confirm that it is good. See `numberCheck`. */
  | { readonly type: 'number-doubtful'; readonly userId: string; readonly reason: string }
  /** The provider of `simSwap` has a sign that the SIM of a number was changed. Not a proof. */
  | { readonly type: 'sim-swap-hint'; readonly userId: string; readonly hint: string };
