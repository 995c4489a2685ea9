import type { GatewayError } from './errors';
import type { GatewayEvent } from './gateway';
import type { NearLimit } from './limits/near-limits';
import type { LimitName } from './limits/table';
import type { PolicyEvent, PolicyStage } from './limits/policy';
import type { StoreEvent } from './stores/guarded-store';
import type { Purpose } from './stores/store';
import type { Reason } from './core/outcome';
import type { Method } from './method';

interface Owner {
  readonly userId: string;
  /** The client's address as Express returns it (`req.ip`); undefined if there was no request. */
  readonly address: string | undefined;
}

interface ChangedPhone extends Owner {
  /** The last two digits, the rest masked. */
  readonly maskedPhone: string;
}

interface OwnDevice extends Owner {
  readonly deviceId: string;
  readonly label: string;
}

/**
 * Events about a user's numbers, devices, codes and logins. Tell the user of each, but not by the
 * number that changed.
 */
export type LifeEvent =
  /** A number was confirmed. `replaced`: the masked number that it replaced; null: it was added. */
  | ({ readonly type: 'phone-enrolled'; readonly replaced: string | null } & ChangedPhone)
  | ({ readonly type: 'phone-removed' } & ChangedPhone)
  | ({ readonly type: 'default-phone-changed' } & ChangedPhone)
  | ({ readonly type: 'recovery-codes-generated'; readonly count: number } & Owner)
  | ({ readonly type: 'recovery-code-used'; readonly left: number } & Owner)
  | ({ readonly type: 'device-trusted' } & OwnDevice)
  | ({ readonly type: 'device-used' } & OwnDevice)
  | ({ readonly type: 'device-revoked'; readonly reason: DeviceEnd } & OwnDevice)
  /**
   * Logins have ended, and guards refuse their sessions: the app should close their sockets. The
   * process that ends them emits it once. Another process emits it each time a request finds one
   * ended, so the same id may come again. `loginIds` are those that `logins.list` shows.
   */
  | {
      readonly type: 'login-ended';
      readonly userId: string;
      readonly loginIds: readonly string[];
      readonly reason: LoginEnd;
    }
  /**
   * `isAvailable` or `getAddress` of this factor has thrown. The factor is not offered now, and the
   * user counts as one who has it.
   */
  | { readonly type: 'factor-failing'; readonly userId: string; readonly factor: string };

/**
 * Why a login has ended. `changed`: a number or the recovery codes were replaced, or a trusted
 * device was stolen. `renewed`: a step-up, an approved transaction or a confirmed number has given
 * it another id. `too-many`: the user had more logins than are kept. `unused`: its session could
 * not be saved. `found-ended`: this process has asked the store, and another process, or the
 * login's age, has ended it.
 */
export type LoginEnd =
  | 'logout'
  | 'revoked'
  | 'changed'
  | 'renewed'
  | 'too-many'
  | 'unused'
  | 'found-ended';

/**
 * Why a device is no longer trusted. `stolen`: its token was shown again after it had been
 * replaced, so two browsers have it. `changed`: the password, a number or the recovery codes are
 * not those of the time when it was trusted, or another device of the user was stolen.
 */
export type DeviceEnd = 'revoked' | 'stolen' | 'changed';

/**
 * What a policy decided about one send or enrollment. In mode `report`, a `deny` has changed
 * nothing.
 */
export interface DecisionEvent extends Owner {
  readonly type: 'policy-decided';
  readonly purpose: Purpose;
  readonly stage: PolicyStage;
  readonly policy: string;
  readonly mode: 'enforce' | 'report';
  readonly decision: 'allow' | 'deny';
  /** The reasons in the policy's own words. */
  readonly reasons: readonly string[];
}

export type { PolicyEvent };

/** The user of a login event. It has no code, and only the last two digits of the number. */
interface EventOwner extends Owner {
  readonly purpose: Purpose;
}

/**
 * The result of `getPhone` if it was neither a number nor null. The user counts as one who has a
 * number, but no message can be sent to it now. `error`: it threw, or `phoneBook.list` did.
 */
export type UnusablePhone = 'undefined' | 'empty' | 'not-e164' | 'invalid' | 'error';

/** Events of the login decision. */
export type LoginEvent =
  /** A code was made and passed to the gateway for sending. Delivery is never known. */
  | ({
      readonly type: 'sent';
      /** The factor that has sent it: `sms`, or the name of one of `factors`. */
      readonly method: Method;
      readonly maskedPhone: string;
      readonly sends: number;
      /** A decimal string in the gateway's currency (variant B), or null. */
      readonly cost: string | null;
      /** ISO 3166-1 code of the number's country, or null if it has none. */
      readonly country: string | null;
    } & EventOwner)
  /**
   * A code was right and the user passed. `country`: of the number that got the message; null if
   * there was no number. `isKnownBrowser`: whether the user had passed in this browser before; left
   * out with `knownBrowsers: false`.
   */
  | ({
      readonly type: 'verified';
      readonly method: Method;
      readonly country: string | null;
      readonly isKnownBrowser?: boolean;
    } & EventOwner)
  /**
   * A code was not accepted. `unconfirmed`: the gateway's answer was lost, and the pending login
   * has ended.
   */
  | ({ readonly type: 'rejected'; readonly reason: Reason } & EventOwner)
  /** A send was refused, or has failed: as far as is known, no message was sent. */
  | ({
      readonly type: 'denied';
      readonly reason: Reason;
      /** The policy that refused; null if none did. */
      readonly policy: string | null;
      /** The built-in limit that refused; null if none did. */
      readonly limit: LimitName | null;
      /** Only with the reason `not-sent`: the gateway's error. Its message has no secret. */
      readonly error?: Pick<GatewayError, 'code' | 'message'>;
      /**
       * Only with the reason `no-phone`, if the user may have a number: what `getPhone` returned
       * instead.
       */
      readonly found?: UnusablePhone;
      /**
       * Only with the reason `country-not-allowed` or `unknown-range`: the ISO 3166-1 code of the
       * number's country, or of the one that an unknown range counts as; null if it has none.
       */
      readonly country?: string | null;
    } & EventOwner)
  /**
   * A user's messages of the day are used up without a success, in one known browser or in all
   * others.
   */
  | ({ readonly type: 'sends-used-up'; readonly sends: number } & EventOwner)
  /**
   * A login form was submitted again, and the request joined the login that the first one began.
   */
  | ({ readonly type: 'login-joined' } & EventOwner)
  /**
   * Half of a limit that all users share is used up. Emitted once per window. `userId` and
   * `address` are those of the send that reached it. `isUnproven`: the limit is the one for numbers
   * that are not proven for their users.
   */
  | ({ readonly type: 'limit-near' } & NearLimit & EventOwner)
  /** A user's second factor is locked for a time after failures. */
  | ({ readonly type: 'locked'; readonly lockedSeconds: number } & EventOwner)
  /** The failures of a known browser are used up: it counts as an unknown one from now on. */
  | ({ readonly type: 'browser-unknown'; readonly failures: number } & EventOwner)
  /**
   * A user's codes by message and by typed factors are disabled until `unlockUser` enables them.
   */
  | ({ readonly type: 'disabled' } & EventOwner)
  /**
   * The consecutive failures since the user's last success, for apps that keep the count in their
   * own database. `purpose` is null if an operator changed it.
   */
  | ({
      readonly type: 'failure-count-changed';
      readonly purpose: Purpose | null;
      readonly failures: number;
    } & Owner)
  /**
   * A user has had many failures in 30 days, too far apart for a lock: an attacker may be guessing
   * slowly.
   */
  | ({ readonly type: 'guessing-slowly'; readonly failures: number } & EventOwner)
  /**
   * Wrong recovery codes of one user have reached ten in a day. Other addresses can still use
   * recovery codes.
   */
  | ({ readonly type: 'guessing-recovery-codes'; readonly failures: number } & EventOwner)
  /**
   * A decision has ended. The duration covers all of its work, from the first question to the last
   * write of the store.
   */
  | {
      readonly type: 'decision-ended';
      readonly decision: 'send' | 'resend' | 'verify';
      /**
       * `sent`, `already-sent`, `waiting` (another factor comes first, or another request sends the
       * message), `trusted-device`, `verified`, a reason, or `accident` for an error.
       */
      readonly outcome:
        | 'sent'
        | 'already-sent'
        | 'waiting'
        | 'verified'
        | 'accident'
        | Reason
        | Method;
      readonly durationMs: number;
    };

/** Every event that `onEvent` gets. */
export type SmsOtpEvent =
  | LoginEvent
  | LifeEvent
  | DecisionEvent
  | PolicyEvent
  | GatewayEvent
  | StoreEvent;
