import type { Admission } from '../client/gateway-client';
import type { OutgoingMessage } from '../messages/build-message';
import type { PolicyContext } from '../policies/policy';
import type { GenerateInput } from '../protocol/otp';
import type { Generated } from '../protocol/otp-answers';
import type { Challenge } from '../stores/store';
import { isPlan, planCharges, tellCharges } from './ask-policies';
import { findResendTime, toChallenge, type ChallengeSource } from './challenge-record';
import type { LoginParts } from './login-parts';
import { mayHaveArrived } from './lost-answer';
import type { Refusal } from './outcome';
import { maskPhone } from './phone-number';
import { chargeSend } from './send-charge';
import { settlePolicies, type SendContext } from './send-policies';

/** What became of a send that the policies have allowed. `policy`: the rule whose counter refused, null for our own limits. */
export type Delivery =
  | { readonly kind: 'sent'; readonly challenge: Challenge; readonly resendAt: number | null }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly policy: string | null };

/** Charges the send, has the gateway make and send the code, and remembers the challenge. */
export async function deliverCode(
  parts: LoginParts,
  context: SendContext,
  source: ChallengeSource,
  { text, sender }: OutgoingMessage,
): Promise<Delivery> {
  const { gateway, settings, store } = parts;
  // What the client itself refuses is refused before anything is charged.
  const admission = await gateway.admit('generate');
  try {
    // 4 charge the send
    const planned = await planCharges(parts.policies, context);
    if (!isPlan(planned)) return { kind: 'refused', ...planned };
    const charge = await chargeSend(parts, context, planned);
    tellCharges(context, charge, parts.emit);
    if (!charge.isCharged) {
      return { kind: 'refused', refusal: charge.refusal, policy: charge.refusedBy?.policy.name ?? null };
    }

    // 5 the gateway makes the code and sends it
    const { mobile, times } = source;
    const order = { mobile, sender, validitySeconds: times.validitySeconds, message: text };
    const generated = await generate(parts, context, order, admission);

    // 6 remember the challenge
    const { isNewNumber, waitSeconds } = charge;
    const { maxAttempts } = settings;
    const challenge = toChallenge(source, { maxAttempts, isNewNumber }, generated);
    await store.challenges.begin(challenge, Math.ceil((challenge.pendingUntil - parts.now()) / 1000));
    const { userId, purpose, address } = context;
    const { country } = await context.origin();
    const sent = { maskedPhone: maskPhone(mobile), sends: times.sends, cost: costOf(generated), country };
    parts.emit({ type: 'sent', userId, purpose, address, ...sent });
    return { kind: 'sent', challenge, resendAt: findResendTime(parts, challenge, waitSeconds) };
  } finally {
    admission.release();
  }
}

/** Asks the gateway, and tells the policies what became of it: what they have reserved is spent, free again, or uncertain. */
async function generate(
  parts: LoginParts,
  context: PolicyContext,
  order: GenerateInput,
  admission: Admission,
): Promise<Generated> {
  try {
    const generated = await parts.gateway.otp.generate(order, admission);
    settlePolicies(parts, context, { kind: 'sent', cost: costOf(generated) });
    return generated;
  } catch (error) {
    settlePolicies(parts, context, { kind: mayHaveArrived(error) ? 'unknown' : 'not-sent' });
    throw error;
  }
}

function costOf(generated: Generated): string | null {
  return generated.variant === 'B' ? generated.cost : null;
}
