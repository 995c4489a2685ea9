import type { Purpose } from '../stores/store';

/** What a policy may look at before a text message is sent. */
export interface PolicyContext<User = Express.User> {
  readonly stage: 'send' | 'enrol';
  readonly user: User;
  readonly userId: string;
  readonly purpose: Purpose;
  /** E.164 with plus. */
  readonly mobile: string;
  /** The client's address as Express gives it (`req.ip`); undefined when there is none. */
  readonly address: string | undefined;
}

/** The reasons a policy may give. */
export type PolicyReason = 'denied' | 'country-not-allowed' | 'send-limit';

/** A policy's answer. */
export type PolicyAnswer =
  'allow' | { readonly deny: PolicyReason; readonly retryAfterSeconds?: number | undefined };

/** One rule that is asked before money is spent. A throw denies. */
export interface Policy<User = Express.User> {
  /** Shown in events. */
  readonly name: string;
  readonly stage: 'send' | 'enrol';
  check(context: PolicyContext<User>): PolicyAnswer | Promise<PolicyAnswer>;
}
