import type { z } from 'zod';
import { parseOptions, policyMode, strictOptions, wholeNumber } from '../define-options';
import type { Policy, PolicyContext } from '../limits/policy';
import type { Counter } from '../stores/store';

const schema = strictOptions({
  /** Messages without a right code per prefix in `perSeconds`: 1 to 1,000. Default: 15. */
  maxUnanswered: wholeNumber(1, 1_000).default(15),
  /** Length of the window, 3,600 to 604,800. Default: 86,400. */
  perSeconds: wholeNumber(3_600, 604_800).default(86_400),
  /** `enforce` or `report`. Default: `report`. */
  mode: policyMode('report'),
});

/** Options of `prefixVelocity`. Unknown fields are errors. */
export type PrefixVelocityOptions = z.input<typeof schema>;

/**
 * Limits the messages to a prefix (a number without its last four digits) whose code was not
 * entered. It counts when a message is sent, so it also stops a burst. Numbers that the user has
 * proven by entering a code are exempt. A right code refunds the messages of its pending login.
 *
 * Every message is counted in two windows that overlap by half, and the older one refuses. Within
 * any half of `perSeconds` at most `maxUnanswered` messages are sent, wherever the windows begin.
 * @throws {TypeError} that names the option.
 */
export function prefixVelocity(options: PrefixVelocityOptions = {}): Policy<unknown> {
  const { maxUnanswered, perSeconds, mode } = parseOptions('prefixVelocity', schema, options);
  /** When a send was counted, so that it is refunded in the same windows. */
  const countedAt = new WeakMap<PolicyContext<unknown>, number>();

  /**
   * Returns two windows of a prefix. The older one began half a window earlier.
   * @param more Fields of the counters of both.
   */
  function findWindows(
    number: Pick<PolicyContext, 'prefixKey' | 'now'>,
    sentAt: number,
    more: Pick<Counter, 'amount' | 'exemptBy'>,
  ): readonly [older: Counter, newer: Counter] {
    const halfMs = (perSeconds / 2) * 1000;
    const half = Math.floor(sentAt / halfMs);
    const toWindow = (start: number): Counter => ({
      ...more,
      key: `prefix-velocity:${number.prefixKey}:${start}`,
      windowSeconds: Math.max(1, Math.ceil(((start + 2) * halfMs - number.now()) / 1000)),
    });

    return [toWindow(half - 1), toWindow(half)];
  }

  return {
    name: 'prefix-velocity',
    stage: 'send',
    mode,
    check: () => 'allow',
    charges: (context) => {
      const nowMs = context.now();
      countedAt.set(context, nowMs);

      const [older, newer] = findWindows(context, nowMs, { exemptBy: context.provenKeys });
      const reason = 'too many unanswered text messages to one prefix';
      return [
        { counter: { ...older, max: maxUnanswered }, reason },
        { counter: newer, reason },
      ];
    },
    settle: async (context, settlement) => {
      const sentAt = countedAt.get(context);
      if (settlement.kind !== 'not-sent' || sentAt === undefined) return;
      const { counters, provenKeys: exemptBy } = context;
      await counters.charge(findWindows(context, sentAt, { exemptBy, amount: -1 }));
    },
    verified: async (context) => {
      const { isNewNumber, sentAt, sends, counters } = context;
      if (isNewNumber) await counters.charge(findWindows(context, sentAt, { amount: -sends }));
    },
  };
}
