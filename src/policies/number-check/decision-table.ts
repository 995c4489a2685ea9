import { GatewayRejectedError } from '../../errors';
import type { NumberContext, PolicyServices } from '../../limits/policy';
import { ADVANCED_STATUSES, type Lookup } from '../../protocol/hlr';

/** The number of a lookup, and what the lookup needs. Every policy context has both. */
export type LookupContext = PolicyServices &
  Pick<
    NumberContext,
    | 'userId'
    | 'purpose'
    | 'mobile'
    | 'numberKey'
    | 'prefixKey'
    | 'side'
    | 'lookupCounters'
    | 'reportCost'
  >;

/** The column of the table: a number that is being enrolled, or one that the user has. */
export type Column = 'enroll' | 'login';

export function columnOf(context: Pick<LookupContext, 'purpose'>): Column {
  return context.purpose === 'enroll' ? 'enroll' : 'login';
}

/**
 * `warn`: the message is sent and an event is emitted. `deny-again`: denied if the previous result
 * was the same, otherwise `warn`. `inconclusive`: nothing was learned about the number, and the
 * policy's option decides.
 */
export type Decision = 'send' | 'warn' | 'inconclusive' | 'deny' | 'deny-again';

/** One row of the table. */
interface DecisionRow {
  readonly enroll: Decision;
  readonly login: Decision;
  /** Seconds for which the result is reused. 0: it is not kept. */
  readonly keptSeconds: Readonly<Record<Column, number>>;
  /** True when the result is likely to last. */
  readonly isDurable?: true;
  /** True if the lookup is repeated once when there is time left. */
  readonly isRetried?: true;
  /** Seconds during which no number of the same prefix is looked up. */
  readonly prefixSeconds?: number;
}

const NOT_KEPT = { enroll: 0, login: 0 };
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/**
 * The meaning of each result. Most results say more about the network than about the number:
 * `invalid` does not mean that a number does not exist. Not shown in HLR spec §2: how lasting a
 * status is, and what `error` means. Not shown in HLR spec §2: the network of a number whose query
 * was rejected; the prefix is used instead.
 */
const TABLE = {
  // The number is known and can receive messages.
  valid: { enroll: 'send', login: 'send', keptSeconds: both(10 * MINUTE) },
  // A real number that is switched off or out of reach. The message may arrive late.
  ABSENT_SUBSCRIBER_SM: { enroll: 'warn', login: 'warn', keptSeconds: both(2 * MINUTE) },
  // Not assigned. While a number is ported this may be wrong for a while.
  UNKNOWN_SUBSCRIBER: {
    enroll: 'deny',
    login: 'deny-again',
    keptSeconds: { enroll: DAY, login: 10 * MINUTE },
    isDurable: true,
  },
  // The subscription does not include text messages.
  TELE_SERVICE_NOT_PROVISIONED: {
    enroll: 'deny',
    login: 'deny',
    keptSeconds: both(DAY),
    isDurable: true,
  },
  // The network cannot deliver; may depend on roaming.
  FACILITY_NOT_SUPPORTED: {
    enroll: 'deny',
    login: 'warn',
    keptSeconds: both(HOUR),
    isDurable: true,
  },
  // The document says that the query is barred. Elsewhere the word describes the number.
  CALL_BARRED: { enroll: 'warn', login: 'send', keptSeconds: NOT_KEPT },
  DATA_MISSING: inconclusive(),
  UNEXPECTED_DATA_VALUE: { enroll: 'warn', login: 'inconclusive', keptSeconds: NOT_KEPT },
  // The operator rejects queries. This says nothing about the number.
  HLR_REJECT: inconclusive({ prefixSeconds: HOUR }),
  HLR_ABORT: inconclusive({ prefixSeconds: HOUR }),
  HLR_LOCAL_CANCEL: inconclusive({ isRetried: true }),
  TIMEOUT: inconclusive({ isRetried: true }),
  SYSTEM_FAILURE: inconclusive({ isRetried: true }),
  // Status `invalid` without an advanced status.
  invalid: { enroll: 'warn', login: 'inconclusive', keptSeconds: NOT_KEPT },
  // Status `error`, whatever the advanced status.
  error: inconclusive(),
  // A word that is not documented.
  'unknown-status': inconclusive(),
  // 1006: nothing was looked up.
  'no-balance': inconclusive(),
  // 1221, 2003: not a number according to the gateway.
  'invalid-phone': { enroll: 'deny', login: 'deny', keptSeconds: NOT_KEPT, isDurable: true },
  // 1222, 2002: temporarily unavailable.
  unavailable: inconclusive({ isRetried: true }),
  // 2004: the account has no permission for lookups.
  'no-permission': inconclusive(),
  // 2005: this network cannot be looked up.
  'not-supported': inconclusive({ prefixSeconds: DAY }),
  // Unreachable, no answer, an answer that is not as documented, or any other error of the gateway.
  failed: inconclusive(),
  // No answer within the budget.
  late: inconclusive(),
  // The lookups of the user, of an address block, of a prefix or of the whole app are used up.
  'too-many': inconclusive(),
} satisfies Record<string, DecisionRow>;

/**
 * The result of a lookup: one of the gateway's words, or our own if it has none. HLR spec §2, §7.
 */
export type Verdict = keyof typeof TABLE;

export const DECISIONS: Readonly<Record<Verdict, DecisionRow>> = TABLE;

function both(seconds: number): DecisionRow['keptSeconds'] {
  return { enroll: seconds, login: seconds };
}

function inconclusive(more: Pick<DecisionRow, 'isRetried' | 'prefixSeconds'> = {}): DecisionRow {
  return { enroll: 'inconclusive', login: 'inconclusive', keptSeconds: NOT_KEPT, ...more };
}

/** Error codes that have their own verdict. HLR spec §7. */
const BY_CODE: ReadonlyMap<number | null, Verdict> = new Map([
  [1006, 'no-balance'],
  [1221, 'invalid-phone'],
  [2003, 'invalid-phone'],
  [1222, 'unavailable'],
  [2002, 'unavailable'],
  [2004, 'no-permission'],
  [2005, 'not-supported'],
]);

/**
 * Returns the verdict of an answered lookup. An unknown word says nothing about the number. HLR
 * spec §2.
 */
function readVerdict(lookup: Lookup): Verdict {
  const { status, advancedStatus } = lookup;
  if (status === 'valid') return 'valid';
  if (status === 'error') return 'error';
  if (status !== 'invalid') return 'unknown-status';
  if (advancedStatus === null) return 'invalid';
  return ADVANCED_STATUSES.find((known) => known === advancedStatus) ?? 'unknown-status';
}

/** Returns the verdict of a lookup that threw. */
export function readFailure(error: unknown): Verdict {
  const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
  return BY_CODE.get(code) ?? 'failed';
}

/** The stored result of a lookup, without the subscriber identity and the switching centre. */
export interface NumberFinding {
  readonly verdict: Verdict;
  /** An unknown word of the gateway, if it is safe to show. */
  readonly unknownWord: string | null;
  /** The network, if its codes are well-formed. */
  readonly network?: { readonly mcc: string; readonly mnc: string } | undefined;
  /** The operator's name, normalized for comparison. */
  readonly operator?: string | undefined;
  /** The value that `toIdentity` returned for the subscriber identity. Null without one. */
  readonly identity: string | null;
  /** How many times in a row this number has had this verdict, including this time. */
  readonly timesInARow: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Set only for the verdict `too-many`: seconds until another lookup may be made. */
  readonly retryAfterSeconds?: number;
}

/** Returns a finding without information about the number. */
export function nothingFound(verdict: Verdict, at: number): NumberFinding {
  return { verdict, unknownWord: null, identity: null, timesInARow: 1, at };
}

/** Reads an answered lookup. @param toIdentity Called for a valid number only. */
export function readFinding(
  lookup: Lookup,
  at: number,
  toIdentity: (lookup: Lookup) => string | null,
): NumberFinding {
  const { status, advancedStatus, mcc, mnc, operator } = lookup;
  const verdict = readVerdict(lookup);
  const word = status === 'invalid' ? advancedStatus : status;
  // Show the word only if it consists of letters, so that it cannot be a number.
  const isShown = verdict === 'unknown-status' && word !== null && /^[A-Za-z_-]{1,40}$/.test(word);
  const hasNetwork = mcc !== null && mnc !== null && /^[0-9]{3}-[0-9]{2,3}$/.test(`${mcc}-${mnc}`);
  // Normalize the name so that two can be compared: short, lower case, single spaces.
  const name = operator?.slice(0, 64).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

  return {
    ...nothingFound(verdict, at),
    unknownWord: isShown ? word : null,
    network: hasNetwork ? { mcc, mnc } : undefined,
    operator: name === '' ? undefined : name,
    identity: verdict === 'valid' ? toIdentity(lookup) : null,
  };
}
