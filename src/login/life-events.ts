import type { PolicyEvent, PolicyStage } from '../policies/policy';
import type { Purpose } from '../stores/store';

interface Owner {
  readonly userId: string;
  /** The client's address as Express gives it (`req.ip`); undefined when it was no request. */
  readonly address: string | undefined;
}

interface OwnPhone extends Owner {
  /** The last two digits, the rest masked. */
  readonly maskedPhone: string;
}

interface OwnDevice extends Owner {
  readonly deviceId: string;
  readonly label: string;
}

/** Events of the life around the code: tell the user of each, by another way than the number that changed. */
export type LifeEvent =
  /** A number was confirmed. `replaced`: the masked number whose place it took; null: it was added. */
  | ({ readonly type: 'phone-enrolled'; readonly replaced: string | null } & OwnPhone)
  | ({ readonly type: 'phone-removed' } & OwnPhone)
  | ({ readonly type: 'default-phone-changed' } & OwnPhone)
  | ({ readonly type: 'recovery-codes-generated'; readonly count: number } & Owner)
  | ({ readonly type: 'recovery-code-used'; readonly left: number } & Owner)
  | ({ readonly type: 'device-trusted' } & OwnDevice)
  | ({ readonly type: 'device-used' } & OwnDevice)
  | ({ readonly type: 'device-revoked'; readonly why: DeviceEnd } & OwnDevice);

/**
 * Why a device is trusted no more. `stolen`: its token was shown again after it had been replaced, so two have it.
 * `changed`: the password, a number or the recovery codes are others than when it was trusted.
 */
export type DeviceEnd = 'revoked' | 'stolen' | 'changed';

/** What a policy decided about one send or enrolment. In mode `record` a `deny` has changed nothing. */
export interface DecisionEvent extends Owner {
  readonly type: 'policy-decided';
  readonly purpose: Purpose;
  readonly stage: PolicyStage;
  readonly policy: string;
  readonly mode: 'deny' | 'record';
  readonly decision: 'allow' | 'deny';
  /** Why, in the policy's own words. */
  readonly because: readonly string[];
}

export type { PolicyEvent };
