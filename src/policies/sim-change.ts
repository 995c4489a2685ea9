import { check, custom, is, optional, pipe } from 'valibot';
import { waitAtMost } from '../client/admission/call-deadline';
import { callback, parseOptions, strictOptions, wholeNumber } from '../client/option-rules';
import { budget } from './lookups/number-lookups';
import { askProvider, type SimChangeCheck, type SimChangeProvider } from './lookups/sim-change-provider';
import type { Policy, PolicyContext } from './policy';
import { policyMode } from './policy-options';

/** What `simChange` is made of. Unknown members are errors. */
export interface SimChangeOptions {
  /** Who knows of changes: `hlrSimChange`, or better data of your own. */
  readonly provider: SimChangeProvider;
  /** `record`: tells of a change and denies nothing. Default: `record`. */
  readonly mode?: 'deny' | 'record' | undefined;
  /** Hours for which a change counts, 1 to 2,400. Default: 72. */
  readonly maxAgeHours?: number | undefined;
  /** Milliseconds to wait for the provider before a text, 100 to 10,000. Default: 2,000. */
  readonly budgetMs?: number | undefined;
}

const method = optional(callback());

const provider = pipe(
  custom<SimChangeProvider>((value) => typeof value === 'object' && value !== null, 'must be a provider'),
  check(isProvider, 'must have check or retrieveDate, each of its methods a function'),
);

const schema = strictOptions({
  provider,
  mode: policyMode('record'),
  maxAgeHours: optional(wholeNumber(1, 2_400), 72),
  budgetMs: optional(budget(), 2_000),
});

/** Characters of a hint that are told. */
const LONGEST_HINT = 200;

const UNKNOWN: SimChangeCheck = { swapped: null };

/**
 * Asks before each text to a number that the user has whether its SIM was changed, and denies (`denied`) or records when
 * the provider says so. Nothing said, an error or no answer in time is no change: absence of a report is not evidence
 * that there was none. Each report is the event `sim-change-hint`. Not part of any default.
 * @throws {TypeError} that names the option.
 */
export function simChange(options: SimChangeOptions): Policy<unknown> {
  const checked = parseOptions('simChange', schema, options);
  const { provider: asked, mode, maxAgeHours, budgetMs } = checked;
  return {
    name: 'sim-change',
    stage: 'send',
    mode,
    check: async (context) => {
      if (asked.needsNotes === true && context.notes === undefined) throw noNotes();
      // A number that is being enrolled has nothing to compare with.
      if (context.purpose === 'enrol') return 'allow';
      const { swapped, hint } = await ask(asked, context, maxAgeHours, budgetMs);
      if (hint !== undefined) context.emit({ type: 'sim-change-hint', userId: context.userId, hint });
      return swapped === true ? { deny: 'denied', because: ['sim changed'] } : 'allow';
    },
    verified: (context) => asked.verified?.(context, { maxAgeHours }),
  };
}

async function ask(
  asked: SimChangeProvider,
  context: PolicyContext<unknown>,
  maxAgeHours: number,
  budgetMs: number,
): Promise<SimChangeCheck> {
  try {
    const late = (): Error => new Error('late');
    return readCheck(await waitAtMost(askProvider(asked, context, maxAgeHours), budgetMs, late));
  } catch {
    // The hint is advice: a provider that fails must not keep anybody out.
    return UNKNOWN;
  }
}

/** A provider without types may answer anything: only a true `swapped` is a change. */
function readCheck(answer: unknown): SimChangeCheck {
  const { swapped, hint } = Object(answer) as Partial<Record<string, unknown>>;
  const known = swapped === true ? true : null;
  return typeof hint === 'string'
    ? { swapped: known, hint: hint.slice(0, LONGEST_HINT) }
    : { swapped: known };
}

function isProvider({ check, retrieveDate, verified }: Partial<SimChangeProvider>): boolean {
  const areCallable = [check, retrieveDate, verified].every((member) => is(method, member));
  return areCallable && (check !== undefined || retrieveDate !== undefined);
}

function noNotes(): TypeError {
  return new TypeError('simChange: this provider needs a store that keeps notes');
}
