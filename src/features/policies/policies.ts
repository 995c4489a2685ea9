import type { Core } from '../../core/context';
import type { Feature, MessageFacts, MessageRule, NumberFacts, Success } from '../../core/feature';
import { toAddressBlocks } from '../../limits/address-block';
import { sideOf } from '../../limits/buckets';
import { isPhoneNumber } from '../../limits/number-country';
import type {
  Policy,
  PolicyContext,
  PolicyGateway,
  PolicyServices,
  VerifiedContext,
} from '../../limits/policy';
import type { About } from '../../limits/table';
import type { Counter, SentOtp } from '../../stores/store';
import {
  callQuietly,
  needsLookup,
  planCharges,
  reportCost,
  runPolicies,
  settlePolicies,
  toRow,
} from './run-policies';

/** Creates the feature that checks the app's policies and the built-in ones for each message. */
export function createPolicies(parts: PolicyParts): Feature {
  const { policies } = parts;
  const hasVerified = policies.some((policy) => 'verified' in policy);

  return {
    name: 'policies',
    // Policies are about numbers: they are not asked about any other address.
    beforeMessage: (message) =>
      message.number === null ? null : toMessageRule(parts, message, message.number),
    onSuccess(success) {
      const { otp } = success;
      if (otp === null || !hasVerified || !isPhoneNumber(otp.to)) return null;
      return { done: () => void callQuietly(() => callVerified(parts, success, otp)) };
    },
  };
}

/** The policies and their context. */
export interface PolicyParts {
  readonly core: Core;
  /** In the order in which they are checked. */
  readonly policies: readonly Policy[];
  readonly gateway: PolicyGateway;
}

/**
 * Creates the rule for a message. Policies recognize a message by its context, so all their calls
 * get the same object.
 */
function toMessageRule(
  parts: PolicyParts,
  message: MessageFacts,
  number: NumberFacts,
): MessageRule {
  const { policies } = parts;
  const { emit } = parts.core;
  const context = toPolicyContext(parts, message, number);
  const checkPaid = () => runPolicies(policies, context, 'lookups', emit);

  return {
    check: () => runPolicies(policies, context, 'free', emit),
    checkPaid: needsLookup(policies, context) ? checkPaid : undefined,
    async listRows() {
      const planned = await planCharges(policies, context);
      return 'refusal' in planned ? planned : planned.map((one) => toRow(one, context, emit));
    },
    after: (outcome) => settlePolicies(policies, context, outcome),
  };
}

/**
 * Returns the context of a message, as a single literal. Joining other objects costs ten times as
 * much, and every message needs one.
 */
function toPolicyContext(
  parts: PolicyParts,
  message: MessageFacts,
  number: NumberFacts,
): PolicyContext {
  const { gateway, counters, notes, now, emit } = toServices(parts);
  const context: PolicyContext = {
    stage: 'send',
    user: message.user,
    userId: message.userId,
    purpose: message.purpose,
    address: message.address,
    mobile: message.to,
    numberKey: message.numberKey,
    prefixKey: number.prefixKey,
    provenKeys: message.provenKeys,
    isConfirmed: message.isConfirmed,
    origin: number.origin,
    side: sideOf(message.bucket),
    lookupCounters: () => toLookupCounters(parts, toAbout(message, number)),
    reportCost: (cost) => reportCost(parts.policies, context, cost),
    gateway,
    counters,
    notes,
    now,
    emit,
  };
  return context;
}

function toAbout(message: MessageFacts, { prefixKey: prefix }: NumberFacts): About {
  const { userId: user, bucket, purpose, provenKeys, isConfirmed } = message;
  const addresses = toAddressBlocks(message.address);
  return { user, bucket, purpose, prefix, addresses, provenKeys, isConfirmed };
}

/** Calls `verified` of the policies after a right code that came by message. */
async function callVerified(
  parts: PolicyParts,
  { pending, sends }: Success,
  otp: SentOtp,
): Promise<void> {
  const { core, policies } = parts;
  const { userId, purpose, bucket } = pending;
  const { to: mobile, numberKey, isNewNumber, sentAt } = otp;
  const origin = core.readNumber(mobile);
  const { prefix: prefixKey } = await core.numberKeys(mobile, origin);
  // The number is proven, and the lookup does not depend on an address.
  const about = { user: userId, bucket, purpose, prefix: prefixKey, isConfirmed: true };
  const context: VerifiedContext = {
    ...{ userId, purpose, mobile, isNewNumber, sentAt, sends, numberKey, prefixKey, origin },
    side: sideOf(bucket),
    lookupCounters: () => toLookupCounters(parts, about),
    reportCost: (cost) => reportCost(policies, context, cost),
    ...toServices(parts),
  };
  for (const policy of policies) void callQuietly(() => policy.verified?.(context));
}

/** Returns the counters of one paid lookup of a number. */
function toLookupCounters({ core }: PolicyParts, about: About): readonly Counter[] {
  return core.limits.rowsOf('lookup', about).map(({ counter }) => counter);
}

function toServices({ core, gateway }: PolicyParts): PolicyServices {
  const { store, now, emit } = core;
  return { gateway, counters: store.counters, notes: store.notes, now, emit };
}
