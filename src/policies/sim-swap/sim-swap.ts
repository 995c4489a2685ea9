import { z } from 'zod';
import { waitAtMost } from '../../client/call-limiter';
import { parseOptions, policyMode, strictOptions, wholeNumber } from '../../define-options';
import { type Policy, type PolicyContext, type VerifiedContext } from '../../limits/policy';
import { budget } from '../number-check/number-lookups';

/** How far back a change counts. */
export interface SimSwapQuestion {
  /** Hours, 1 to 2,400. */
  readonly maxAgeHours: number;
}

/** The answer to `check`. */
export interface SimSwapCheck {
  /** Null: not known. */
  readonly swapped: boolean | null;
  /** What there is to tell the operator, with or without a change: a few words without any number of a phone or SIM. */
  readonly hint?: string;
}

/** The answer to `retrieveDate`. */
export interface SimSwapDate {
  /** RFC 3339; null: no change in the time that is monitored, or nothing known of any. */
  readonly latestSimChange: string | null;
  /** Days the operator looks back; without it a null date says nothing. */
  readonly monitoredPeriodDays?: number;
}

/**
 * Who knows of SIM changes. Shaped like the two calls of the CAMARA SIM Swap interface, so that an operator's data can take
 * the place of the built-in hint. It needs one of `check` and `retrieveDate`; `check` is preferred.
 */
export interface SimSwapProvider {
  /** Whether the SIM behind `context.mobile` was changed within the last `maxAgeHours`. A throw counts as not known. */
  check?(context: PolicyContext<unknown>, question: SimSwapQuestion): Promise<SimSwapCheck>;
  /** When the SIM behind `context.mobile` was changed last. A throw counts as not known. */
  retrieveDate?(context: PolicyContext<unknown>): Promise<SimSwapDate>;
  /** Hears of each right code, for providers that compare with what they saw then. A throw changes nothing. */
  verified?(context: VerifiedContext, question: SimSwapQuestion): Promise<void>;
  /** True when it keeps what it knows in the store's notes. */
  readonly needsNotes?: boolean;
}

const HOUR_MS = 3_600_000;

/** One question, whichever of the two calls the provider has. */
async function askProvider(
  provider: SimSwapProvider,
  context: PolicyContext<unknown>,
  maxAgeHours: number,
): Promise<SimSwapCheck> {
  if (provider.check !== undefined) return provider.check(context, { maxAgeHours });
  const date = await provider.retrieveDate?.(context);
  return date === undefined ? { swapped: null } : readDate(date, context.now(), maxAgeHours);
}

function readDate(
  { latestSimChange, monitoredPeriodDays = 0 }: SimSwapDate,
  nowMs: number,
  maxAgeHours: number,
): SimSwapCheck {
  if (latestSimChange === null) return { swapped: monitoredPeriodDays * 24 >= maxAgeHours ? false : null };
  const changedAt = Date.parse(latestSimChange);
  if (Number.isNaN(changedAt)) return { swapped: null };
  const isRecent = nowMs - changedAt < maxAgeHours * HOUR_MS;
  return isRecent
    ? { swapped: true, hint: `SIM changed on ${new Date(changedAt).toISOString()}` }
    : { swapped: false };
}

/** What `simSwap` is made of. Unknown members are errors. */
export interface SimSwapOptions {
  /** Who knows of changes: `hlrSimSwap`, or better data of your own. */
  readonly provider: SimSwapProvider;
  /** `record`: tells of a change and denies nothing. Default: `record`. */
  readonly mode?: 'enforce' | 'report' | undefined;
  /** Hours for which a change counts, 1 to 2,400. Default: 72. */
  readonly maxAgeHours?: number | undefined;
  /** Milliseconds to wait for the provider before a text, 100 to 10,000. Default: 2,000. */
  readonly budgetMs?: number | undefined;
}

const provider = z
  .custom<SimSwapProvider>((value) => typeof value === 'object' && value !== null, 'must be a provider')
  .refine(isProvider, 'must have check or retrieveDate, each of its methods a function');

const schema = strictOptions({
  provider,
  mode: policyMode('report'),
  maxAgeHours: wholeNumber(1, 2_400).default(72),
  budgetMs: budget().default(2_000),
});

/** Characters of a hint that are told. */
const LONGEST_HINT = 200;

const UNKNOWN: SimSwapCheck = { swapped: null };

/**
 * Asks before each text to a number that the user has whether its SIM was changed, and denies (`denied`) or records when
 * the provider says so. Nothing said, an error or no answer in time is no change: absence of a report is not evidence
 * that there was none. Each report is the event `sim-swap-hint`. Not part of any default.
 * @throws {TypeError} that names the option.
 */
export function simSwap(options: SimSwapOptions): Policy<unknown> {
  const checked = parseOptions('simSwap', schema, options);
  const { provider: asked, mode, maxAgeHours, budgetMs } = checked;
  return {
    name: 'sim-swap',
    stage: 'send',
    mode,
    check: async (context) => {
      if (asked.needsNotes === true && context.notes === undefined) throw noNotes();
      // A number that is being enrolled has nothing to compare with.
      if (context.purpose === 'enroll') return 'allow';
      const { swapped, hint } = await ask(asked, context, maxAgeHours, budgetMs);
      if (hint !== undefined) context.emit({ type: 'sim-swap-hint', userId: context.userId, hint });
      return swapped === true ? { deny: 'denied', reasons: ['SIM swapped'] } : 'allow';
    },
    verified: (context) => asked.verified?.(context, { maxAgeHours }),
  };
}

async function ask(
  asked: SimSwapProvider,
  context: PolicyContext<unknown>,
  maxAgeHours: number,
  budgetMs: number,
): Promise<SimSwapCheck> {
  try {
    const late = (): Error => new Error('late');
    return readCheck(await waitAtMost(askProvider(asked, context, maxAgeHours), budgetMs, late));
  } catch {
    // The hint is advice: a provider that fails must not keep anybody out.
    return UNKNOWN;
  }
}

/** A provider without types may answer anything: only a true `swapped` is a change. */
function readCheck(answer: unknown): SimSwapCheck {
  const { swapped, hint } = Object(answer) as Partial<Record<string, unknown>>;
  const known = swapped === true ? true : null;
  return typeof hint === 'string'
    ? { swapped: known, hint: hint.slice(0, LONGEST_HINT) }
    : { swapped: known };
}

function isProvider({ check, retrieveDate, verified }: Partial<SimSwapProvider>): boolean {
  const areCallable = [check, retrieveDate, verified].every(
    (method) => method === undefined || typeof method === 'function',
  );
  return areCallable && (check !== undefined || retrieveDate !== undefined);
}

function noNotes(): TypeError {
  return new TypeError('simSwap: this provider needs a store that keeps notes');
}
