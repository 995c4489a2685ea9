import { oneOf, parseOptions, policyMode, strictOptions } from '../../define-options';
import { optionError } from '../../errors';
import { type Policy, type PolicyAnswer, type PolicyContext } from '../../limits/policy';
import { type Column, type Decision, DECISIONS, type Finding, type Verdict } from './decision-table';
import { budget, numberLookups, type NumberLookups, sharedLookups } from './number-lookups';

/** What `numberCheck` is made of. Unknown members are errors. */
export interface NumberCheckOptions {
  /**
   * `enroll`: before a number is confirmed or changed. `send`: before every text, so also on the path of a login, where a
   * lookup costs time and money and rarely says anything. Default: `enroll`.
   */
  readonly stage?: 'enroll' | 'send' | undefined;
  /** `record`: tells what it would deny and denies nothing. Default: `record`. */
  readonly mode?: 'enforce' | 'report' | undefined;
  /** What becomes of a number of which the lookup says nothing. Default: `send`. */
  readonly onInconclusive?: 'send' | 'deny' | undefined;
  /** Lookups shared with other policies. Default: its own. */
  readonly lookups?: NumberLookups | undefined;
  /** Milliseconds to wait for a lookup, for its own lookups only; see `numberLookups`. Default: 2,000. */
  readonly budgetMs?: number | undefined;
}

const schema = strictOptions({
  stage: oneOf('enroll', 'send').default('enroll'),
  mode: policyMode('report'),
  onInconclusive: oneOf('send', 'deny').default('send'),
  lookups: sharedLookups().optional(),
  budgetMs: budget().optional(),
});

/** That lookups rest is told once, when it begins. */
const TOLD_BEFORE: readonly Verdict[] = ['no-permission', 'no-balance'];

/**
 * Looks a number up and denies those that cannot be texted, with the reason `unsuitable-phone` and without a word of the
 * lookup in any reply: it may be somebody else's number. Whatever goes wrong with a lookup is inconclusive, never an error.
 * @throws {TypeError} that names the option.
 * @see HLR spec §2, advanced status values
 */
export function numberCheck(options: NumberCheckOptions = {}): Policy<unknown> {
  const checked = parseOptions('numberCheck', schema, options);
  const { stage, mode, onInconclusive, budgetMs } = checked;
  if (checked.lookups !== undefined && budgetMs !== undefined) {
    throw optionError('numberCheck', 'budgetMs', 'belongs to the lookups that are given');
  }
  const lookups = checked.lookups ?? numberLookups({ budgetMs });
  return {
    name: 'number-check',
    stage,
    mode,
    check: async (context) => {
      const column = context.purpose === 'enroll' ? 'enroll' : 'login';
      const finding = await lookups.find(context, column);
      const decision = decide(finding, column, onInconclusive);
      if (decision === 'warn') tellDoubt(context, finding);
      return decision === 'deny' ? toDenial(finding, column) : 'allow';
    },
  };
}

/** The table's word, with the two that depend on more than the table settled. */
function decide(
  { verdict, timesInARow }: Finding,
  column: Column,
  onInconclusive: 'send' | 'deny',
): Extract<Decision, 'send' | 'warn' | 'deny'> {
  // The limit on lookups is no way around them; who logs in has another limit on sends.
  if (verdict === 'too-many' && column === 'enroll') return 'deny';
  const decision = DECISIONS[verdict][column];
  if (decision === 'inconclusive') return onInconclusive === 'deny' ? 'deny' : 'warn';
  if (decision === 'deny-again') return timesInARow > 1 ? 'deny' : 'warn';
  return decision;
}

function toDenial(finding: Finding, column: Column): PolicyAnswer {
  const reasons = explain(finding);
  const { verdict, retryAfterSeconds } = finding;
  return verdict === 'too-many' && column === 'enroll'
    ? { deny: 'send-limit', retryAfterSeconds, reasons }
    : { deny: 'unsuitable-phone', reasons };
}

function tellDoubt({ userId, emit }: PolicyContext<unknown>, finding: Finding): void {
  if (TOLD_BEFORE.includes(finding.verdict)) return;
  emit({ type: 'number-doubtful', userId, reason: explain(finding).join(', ') });
}

/** For events: the verdict, and whether it says something lasting. */
function explain({ verdict, unknownWord }: Finding): readonly string[] {
  const word = verdict === 'unknown-status' ? `unknown status ${unknownWord ?? '(unreadable)'}` : verdict;
  return [word, DECISIONS[verdict].isDurable === true ? 'lasting' : 'may pass'];
}
