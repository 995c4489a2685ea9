import { z } from 'zod';
import { waitAtMost } from '../stores/with-timeout';
import { parseOptions, policyMode, strictOptions, wholeNumber } from '../define-options';
import type { Policy, PolicyContext, VerifiedContext } from '../limits/policy';
import { budget } from './number-check/number-lookups';

/** How recent a change must be to count. */
export interface SimSwapQuestion {
  /** The age in hours, 1 to 2,400. */
  readonly maxAgeHours: number;
}

/** The result of `check`. */
export interface SimSwapCheck {
  /** Whether the SIM was changed. Null: unknown. */
  readonly swapped: boolean | null;
  /**
   * A few words for the app's report, with or without a change. Must not contain a number of a
   * phone or SIM.
   */
  readonly hint?: string;
}

/** The result of `retrieveDate`. */
export interface SimSwapDate {
  /** RFC 3339. Null: no change during the monitored period, or nothing known. */
  readonly latestSimChange: string | null;
  /** Days that the operator monitors. If it is missing, a null date means unknown. */
  readonly monitoredPeriodDays?: number;
}

/**
 * A source of SIM swap data. Its two calls have the form of the CAMARA SIM Swap interface, so that
 * an operator's data can replace the built-in hint. It needs `check` or `retrieveDate`. `check` is
 * preferred.
 */
export interface SimSwapProvider {
  /**
   * Returns whether the SIM of `context.mobile` was changed within the last `maxAgeHours`. If it
   * throws, the state is unknown.
   */
  check?(context: PolicyContext<unknown>, question: SimSwapQuestion): Promise<SimSwapCheck>;
  /**
   * Returns when the SIM of `context.mobile` was last changed. If it throws, the state is unknown.
   */
  retrieveDate?(context: PolicyContext<unknown>): Promise<SimSwapDate>;
  /**
   * Called after each right code, for providers that compare with an earlier state. An error has no
   * effect.
   */
  verified?(context: VerifiedContext, question: SimSwapQuestion): Promise<void>;
  /** True if it uses `gateway` of the context, as `needsClient` of a policy. */
  readonly needsClient?: boolean;
}

const schema = strictOptions({
  provider: z
    .custom<SimSwapProvider>(
      (value) => typeof value === 'object' && value !== null,
      'must be a provider',
    )
    .refine((provider: Partial<SimSwapProvider>) => {
      const { check, retrieveDate, verified } = provider;
      const given = [check, retrieveDate, verified].filter((method) => method !== undefined);
      return (
        (check ?? retrieveDate) !== undefined &&
        given.every((method) => typeof method === 'function')
      );
    }, 'must have check or retrieveDate, each of its methods a function'),
  /** `enforce` or `report`. Default: `report`. */
  mode: policyMode('report'),
  /** Age in hours up to which a change counts, 1 to 2,400. Default: 72. */
  maxAgeHours: wholeNumber(1, 2_400).default(72),
  /** Milliseconds to wait for the provider before a message: 100 to 10,000. Default: 2,000. */
  budgetMs: budget.default(2_000),
});

/** Options of `simSwap`. Unknown fields are errors. */
export type SimSwapOptions = z.input<typeof schema>;

/**
 * Asks a provider, before each message to a number that the user already has, whether its SIM was
 * changed. A change is denied with `denied`, or only reported. An unknown state, an error or a late
 * answer does not count as a change. No report is no evidence that no SIM swap happened. Each hint
 * is emitted as the event `sim-swap-hint`.
 * @throws {TypeError} that names the option.
 */
export function simSwap(options: SimSwapOptions): Policy<unknown> {
  const { provider, mode, maxAgeHours, budgetMs } = parseOptions('simSwap', schema, options);

  async function askProvider(
    context: PolicyContext<unknown>,
  ): Promise<z.output<typeof answerSchema>> {
    try {
      return answerSchema.parse(
        await waitAtMost(callProvider(context), budgetMs, () => new Error('late')),
      );
    } catch {
      // The hint is advice: a provider that fails must not lock users out.
      return { swapped: null };
    }
  }

  /** Calls `check`, or `retrieveDate` of a provider that has no `check`. */
  async function callProvider(context: PolicyContext<unknown>): Promise<SimSwapCheck> {
    if (provider.check !== undefined) return provider.check(context, { maxAgeHours });
    const date = await provider.retrieveDate?.(context);
    return date === undefined ? { swapped: null } : readDate(date, context.now(), maxAgeHours);
  }

  return {
    name: 'sim-swap',
    stage: 'send',
    mode,
    needsClient: provider.needsClient,
    // A provider's answer may cost money.
    needsLookup: true,
    check: async (context) => {
      // The number of an enrollment has no earlier SIM to compare with.
      if (context.purpose === 'enroll') return 'allow';
      const { swapped, hint } = await askProvider(context);
      if (hint !== undefined) context.emit({ type: 'sim-swap-hint', userId: context.userId, hint });
      return swapped === true ? { deny: 'denied', reasons: ['SIM swapped'] } : 'allow';
    },
    verified: (context) => provider.verified?.(context, { maxAgeHours }),
  };
}

/** The longest hint that is emitted. */
const MAX_HINT_LENGTH = 200;

/** Checks a provider's answer: only a true `swapped` is a change. */
const answerSchema = z.object({
  swapped: z.literal(true).nullable().catch(null),
  hint: z
    .string()
    .transform((hint) => hint.slice(0, MAX_HINT_LENGTH))
    .optional()
    .catch(undefined),
});

const HOUR_MS = 3_600_000;

function readDate(date: SimSwapDate, nowMs: number, maxAgeHours: number): SimSwapCheck {
  const { latestSimChange, monitoredPeriodDays = 0 } = date;
  if (latestSimChange === null)
    return { swapped: monitoredPeriodDays * 24 >= maxAgeHours ? false : null };
  const changedAt = Date.parse(latestSimChange);
  if (Number.isNaN(changedAt)) return { swapped: null };
  if (nowMs - changedAt >= maxAgeHours * HOUR_MS) return { swapped: false };
  return { swapped: true, hint: `SIM changed on ${new Date(changedAt).toISOString()}` };
}
