import type { NumberKeys } from '../policies/number-keys';
import type { PolicyContext, PolicyTools, SendSettlement, VerifiedContext } from '../policies/policy';
import type { Challenge } from '../stores/store';
import { askPolicies, type Denial } from './ask-policies';
import type { LoginParts } from './login-parts';

type Asked = Pick<PolicyContext, 'user' | 'userId' | 'purpose' | 'address' | 'mobile'>;

/** A context whose number is read once for all who ask. */
export type SendContext = PolicyContext & { readonly origin: NonNullable<PolicyContext['origin']> };

/** What policies see of a send. The number's keys are made once, for them and for our own counters. */
export async function toPolicyContext(parts: LoginParts, asked: Asked): Promise<SendContext> {
  const { number, prefix } = await parts.numberKeys(asked.mobile);
  const keys = { numberKey: number, prefixKey: prefix, origin: parts.readNumber(asked.mobile) };
  return { stage: 'send', ...asked, ...keys, ...toTools(parts) };
}

/** Asks every policy; a new number of a user's also those of the stage `enrol`, and those first. */
export async function askSendPolicies(parts: LoginParts, context: PolicyContext): Promise<Denial | null> {
  const { policies, emit } = parts;
  if (context.purpose === 'enrol') {
    const denial = await askPolicies(policies, { ...context, stage: 'enrol' }, emit);
    if (denial !== null) return denial;
  }
  return askPolicies(policies, context, emit);
}

/** Tells the policies what became of a send. Nobody waits for what they make of it, and nothing they do changes it. */
export function settlePolicies(
  { policies }: LoginParts,
  context: PolicyContext,
  settlement: SendSettlement,
): void {
  for (const policy of policies) {
    if (policy.stage === 'send') quietly(() => policy.settle?.(context, settlement));
  }
}

/** Tells the policies of a right code. */
export function tellVerified(
  parts: LoginParts,
  challenge: Challenge,
  keys: Awaited<ReturnType<NumberKeys>>,
): void {
  if (!parts.policies.some((policy) => 'verified' in policy)) return;
  const { userId, purpose, mobile, isNewNumber, sentAt, sends } = challenge;
  const context: VerifiedContext = {
    ...{ userId, purpose, mobile, isNewNumber, sentAt, sends },
    ...{ numberKey: keys.number, prefixKey: keys.prefix, origin: parts.readNumber(mobile) },
    ...toTools(parts),
  };
  for (const policy of parts.policies) quietly(() => policy.verified?.(context));
}

function toTools({ gateway, store, now, emit }: LoginParts): PolicyTools {
  return { gateway, counters: store.counters, notes: store.notes, now, emit };
}

function quietly(tell: () => unknown): void {
  try {
    Promise.resolve(tell()).catch(ignore);
  } catch {
    ignore();
  }
}

function ignore(): void {
  // The decision has been made: what a policy fails to remember must not change it.
}
