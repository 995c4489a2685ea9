import type { GatewayEvent } from '../client/events';
import type { StoreEvent } from '../stores/guarded-store';
import type { Purpose } from '../stores/store';
import type { DecisionEvent, LifeEvent, PolicyEvent } from './life-events';
import type { Method, Reason } from './outcome';

/** Who a login event is about. No number, no code: the number is masked to its last two digits. */
interface Subject {
  readonly userId: string;
  readonly purpose: Purpose;
  /** The client's address as Express gives it (`req.ip`). */
  readonly address: string | undefined;
}

/** Events of the login decision. */
export type LoginEvent =
  /** A code was made and handed to the gateway for sending. Delivery is never known. */
  | ({
      readonly type: 'sent';
      readonly maskedPhone: string;
      readonly sends: number;
      /** A decimal in the gateway's currency (variant B), or null. */
      readonly cost: string | null;
      /** ISO 3166-1 code of the number's country, or null when it has none. */
      readonly country: string | null;
    } & Subject)
  /** A code was right and the user passed. `country`: of the number that was texted; null for other factors. */
  | ({ readonly type: 'verified'; readonly method: Method; readonly country: string | null } & Subject)
  /** A code was not accepted. `unconfirmed`: the gateway's answer was lost and the challenge is over. */
  | ({ readonly type: 'rejected'; readonly reason: Reason } & Subject)
  /** A send was refused: nothing was sent. `policy` names the rule, null for the built-in limits. */
  | ({ readonly type: 'denied'; readonly reason: Reason; readonly policy: string | null } & Subject)
  /** A user's second factor is locked for a while after failures. */
  | ({ readonly type: 'locked'; readonly lockedSeconds: number } & Subject)
  /** A user's second factor by text message is disabled until `enableUser`. */
  | ({ readonly type: 'disabled' } & Subject)
  /**
   * The consecutive failures since the user's last success, for apps that keep the count in their own database. `purpose`
   * is null when an operator changed it.
   */
  | ({ readonly type: 'failure-count-changed'; readonly failures: number } & Omit<Subject, 'purpose'> & {
        readonly purpose: Purpose | null;
      })
  /** A decision ended. Its work, from the first question to the last write of the store, lies within the duration. */
  | {
      readonly type: 'decision-ended';
      readonly decision: 'send' | 'resend' | 'verify';
      /** `sent`, `already-sent`, `not-required`, `verified`, a reason, or `accident` for what was thrown. */
      readonly outcome: 'sent' | 'already-sent' | 'verified' | 'accident' | Reason;
      readonly durationMs: number;
    };

/** Everything `onEvent` is told. */
export type SmsOtpEvent = LoginEvent | LifeEvent | DecisionEvent | PolicyEvent | GatewayEvent | StoreEvent;

/** Hands an event to the app. A sink that throws, rejects or is slow changes nothing. */
export function createEmitter(
  sink: ((event: SmsOtpEvent) => unknown) | undefined,
): (event: SmsOtpEvent) => void {
  if (sink === undefined) return () => undefined;
  return (event) => {
    try {
      // An async sink's rejection is the app's own; it must not become an unhandled one here.
      Promise.resolve(sink(event)).catch(() => undefined);
    } catch {
      // What a sink throws must not change the outcome of a login.
    }
  };
}
