import type { z } from 'zod';
import { oneOf, parseOptions, policyMode, strictOptions } from '../../define-options';
import { optionError } from '../../errors';
import type { Policy } from '../../limits/policy';
import {
  type Column,
  columnOf,
  DECISIONS,
  type NumberFinding,
  type Verdict,
} from './decision-table';
import { budget, numberLookups, sharedLookups } from './number-lookups';

const schema = strictOptions({
  /**
   * `enroll`: before a number is confirmed or changed. `send`: before every message, and so also at
   * logins, where a lookup costs time and money and rarely adds information. Default: `enroll`.
   */
  stage: oneOf('enroll', 'send').default('enroll'),
  /** `enforce` or `report`. Default: `report`. */
  mode: policyMode('report'),
  /** How to treat a number about which the lookup reveals nothing. Default: `send`. */
  onInconclusive: oneOf('send', 'deny').default('send'),
  /** Lookups shared with other policies. Default: its own lookups. */
  lookups: sharedLookups.optional(),
  /** Milliseconds to wait for its own lookups; see `numberLookups`. Default: 2,000. */
  budgetMs: budget.optional(),
});

/** Options of `numberCheck`. Unknown fields are errors. */
export type NumberCheckOptions = z.input<typeof schema>;

/**
 * Looks up a number and denies numbers that cannot receive messages. The reason is
 * `unsuitable-phone`. No reply contains anything from the lookup, because the number may belong to
 * another person. A failed lookup is inconclusive, never an error.
 * @throws {TypeError} that names the option.
 * @see HLR spec §2, advanced status values
 */
export function numberCheck(options: NumberCheckOptions = {}): Policy<unknown> {
  const {
    stage,
    mode,
    onInconclusive,
    lookups: shared,
    budgetMs,
  } = parseOptions('numberCheck', schema, options);
  if (shared !== undefined && budgetMs !== undefined) {
    throw optionError('numberCheck', 'budgetMs', 'belongs to numberLookups: set it there');
  }
  const lookups = shared ?? numberLookups({ budgetMs });

  return {
    name: 'number-check',
    stage,
    mode,
    needsClient: true,
    needsLookup: true,
    check: async (context) => {
      const column = columnOf(context);
      const finding = await lookups.find(context);
      const decision = decide(finding, column, onInconclusive);

      if (decision === 'warn' && !REPORTED.includes(finding.verdict)) {
        context.emit({
          type: 'number-doubtful',
          userId: context.userId,
          reason: explain(finding).join(', '),
        });
      }

      if (decision !== 'deny') return 'allow';
      const reasons = explain(finding);
      if (finding.verdict !== 'too-many') return { deny: 'unsuitable-phone', reasons };
      return { deny: 'send-limit', retryAfterSeconds: finding.retryAfterSeconds, reasons };
    },
  };
}

/** Returns the table's decision, with `inconclusive` and `deny-again` resolved. */
function decide(finding: NumberFinding, column: Column, onInconclusive: 'send' | 'deny') {
  // If the lookups are used up, refuse an enrollment: otherwise a number could be enrolled without
  // a lookup. Do not refuse a login: the owner must be able to log in, and sends have their own
  // limits.
  if (finding.verdict === 'too-many') return column === 'enroll' ? 'deny' : 'warn';

  const decision = DECISIONS[finding.verdict][column];
  if (decision === 'inconclusive') return onInconclusive === 'deny' ? 'deny' : 'warn';
  if (decision === 'deny-again') return finding.timesInARow > 1 ? 'deny' : 'warn';
  return decision;
}

/** Verdicts that the event `lookups-stopped` has already reported. */
const REPORTED: readonly Verdict[] = ['no-permission', 'no-balance'];

/** Returns words for events: the verdict, and whether it may change. */
function explain(finding: NumberFinding): readonly string[] {
  const { verdict } = finding;
  const unknown = `unknown status ${finding.unknownWord ?? '(unreadable)'}`;
  const word = verdict === 'unknown-status' ? unknown : verdict;
  return [word, DECISIONS[verdict].isDurable === true ? 'lasting' : 'may pass'];
}
