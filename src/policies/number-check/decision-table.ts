import { GatewayRejectedError } from '../../errors';
import type { PolicyContext, PolicyTools } from '../../limits/policy';
import { ADVANCED_STATUSES, type Lookup } from '../../protocol/hlr';

/** A network as the gateway names it. Both are strings: "01" and "001" are two networks. HLR spec §2. */
export interface Network {
  /** Three digits. */
  readonly mcc: string;
  /** Two or three digits. */
  readonly mnc: string;
}

/** A network with the operator's name in a form to compare by; null when the gateway gave none. */
export interface KnownNetwork extends Network {
  readonly operator: string | null;
}

/** The network of a lookup; undefined when it is missing or odd. */
export function readNetwork({ mcc, mnc }: Lookup): Network | undefined {
  if (mcc === null || mnc === null) return undefined;
  return /^[0-9]{3}$/.test(mcc) && /^[0-9]{2,3}$/.test(mnc) ? { mcc, mnc } : undefined;
}

/** The operator's name in a form to compare by: short, without case and doubled spaces. */
export function readOperator({ operator }: Lookup): string | undefined {
  const name = operator?.slice(0, 64).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
  return name === '' ? undefined : name;
}

/** Whom a lookup is about, and what it is made with: any context of a policy is one. */
export type LookupContext = PolicyTools &
  Pick<PolicyContext, 'userId' | 'mobile' | 'numberKey' | 'prefixKey'>;

/** What is kept of a lookup. Subscriber identity and switching centre are not among it. */
export interface Finding {
  readonly verdict: Verdict;
  /** An unknown word of the gateway, when it may be told. */
  readonly unknownWord: string | null;
  readonly network: Network | undefined;
  /** In a form to compare by. */
  readonly operator: string | undefined;
  /** What `keepIdentity` makes of the subscriber identity. */
  readonly identity: string | null;
  /** How often in a row this number got this verdict, this time included. */
  readonly timesInARow: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Verdict `too-many` only: until the user may have another lookup. */
  readonly retryAfterSeconds?: number;
}

/** A finding without any knowledge of the number. */
export function nothingFound(verdict: Verdict, at: number): Finding {
  return {
    verdict,
    unknownWord: null,
    network: undefined,
    operator: undefined,
    identity: null,
    timesInARow: 1,
    at,
  };
}

/** What a lookup comes to: one of the gateway's words, or one of ours for what has none. HLR spec §2, §7. */
export type Verdict =
  | 'valid'
  | 'ABSENT_SUBSCRIBER_SM'
  | 'UNKNOWN_SUBSCRIBER'
  | 'TELE_SERVICE_NOT_PROVISIONED'
  | 'FACILITY_NOT_SUPPORTED'
  | 'CALL_BARRED'
  | 'DATA_MISSING'
  | 'UNEXPECTED_DATA_VALUE'
  | 'HLR_REJECT'
  | 'HLR_ABORT'
  | 'HLR_LOCAL_CANCEL'
  | 'TIMEOUT'
  | 'SYSTEM_FAILURE'
  | 'invalid'
  | 'error'
  | 'unknown-status'
  | 'no-balance'
  | 'invalid-phone'
  | 'unavailable'
  | 'no-permission'
  | 'not-supported'
  | 'failed'
  | 'late'
  | 'too-many';

/** Which column of the table holds: a number on which no code was ever right, or one that the user has. */
export type Column = 'enroll' | 'login';

/**
 * `warn`: texted, and told. `deny-again`: denied when the result before this one was the same, else `warn`.
 * `inconclusive`: the lookup says nothing of the number; the policy's option decides.
 */
export type Decision = 'send' | 'warn' | 'inconclusive' | 'deny' | 'deny-again';

/** One line of the table. */
export interface Row {
  readonly enroll: Decision;
  readonly login: Decision;
  /** Seconds the result stands for the number; 0: it is not kept. */
  readonly keptSeconds: Readonly<Record<Column, number>>;
  /** Says something lasting of the number. */
  readonly isDurable?: true;
  /** Asked once more when time is left. */
  readonly isRetried?: true;
  /** Seconds in which no number of the same prefix is looked up. */
  readonly prefixSeconds?: number;
}

const NOT_KEPT = { enroll: 0, login: 0 };
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/**
 * What each result means. Most say more of the network than of the number: `invalid` does not mean that a number does
 * not exist. Not shown in HLR spec §2: how lasting a status is, and what `error` means.
 * Not shown in HLR spec §2: the network of a number whose query was refused; its prefix stands for it.
 */
export const DECISIONS: Readonly<Record<Verdict, Row>> = {
  // The number is known and can be texted.
  valid: { enroll: 'send', login: 'send', keptSeconds: both(10 * MINUTE) },
  // A real number: switched off or out of reach. The text may come late.
  ABSENT_SUBSCRIBER_SM: { enroll: 'warn', login: 'warn', keptSeconds: both(2 * MINUTE) },
  // Not assigned. While a number is ported this may be wrong for a while.
  UNKNOWN_SUBSCRIBER: {
    enroll: 'deny',
    login: 'deny-again',
    keptSeconds: { enroll: DAY, login: 10 * MINUTE },
    isDurable: true,
  },
  // The subscription has no text messages.
  TELE_SERVICE_NOT_PROVISIONED: { enroll: 'deny', login: 'deny', keptSeconds: both(DAY), isDurable: true },
  // The network cannot deliver; may depend on roaming.
  FACILITY_NOT_SUPPORTED: { enroll: 'deny', login: 'warn', keptSeconds: both(HOUR), isDurable: true },
  // The document says that the query is barred, elsewhere the word is about the number.
  CALL_BARRED: { enroll: 'warn', login: 'send', keptSeconds: NOT_KEPT },
  DATA_MISSING: { enroll: 'inconclusive', login: 'inconclusive', keptSeconds: NOT_KEPT },
  UNEXPECTED_DATA_VALUE: { enroll: 'warn', login: 'inconclusive', keptSeconds: NOT_KEPT },
  // The operator answers no queries: about the query, not about the number.
  HLR_REJECT: inconclusive({ prefixSeconds: HOUR }),
  HLR_ABORT: inconclusive({ prefixSeconds: HOUR }),
  HLR_LOCAL_CANCEL: inconclusive({ isRetried: true }),
  TIMEOUT: inconclusive({ isRetried: true }),
  SYSTEM_FAILURE: inconclusive({ isRetried: true }),
  // Status `invalid` and nothing beside it.
  invalid: { enroll: 'warn', login: 'inconclusive', keptSeconds: NOT_KEPT },
  // Status `error`, whatever is beside it.
  error: inconclusive(),
  // A word that is in no list.
  'unknown-status': inconclusive(),
  // 1006: nothing was looked up.
  'no-balance': inconclusive(),
  // 1221, 2003: the gateway takes it for no number.
  'invalid-phone': { enroll: 'deny', login: 'deny', keptSeconds: NOT_KEPT, isDurable: true },
  // 1222, 2002: away for a while.
  unavailable: inconclusive({ isRetried: true }),
  // 2004: the account may not look up.
  'no-permission': inconclusive(),
  // 2005: no lookups for this network.
  'not-supported': inconclusive({ prefixSeconds: DAY }),
  // Unreachable, no answer, an answer that is not as documented, any other error of the gateway.
  failed: inconclusive(),
  // No answer within the budget.
  late: inconclusive(),
  // The user has had as many lookups as a day allows.
  'too-many': inconclusive(),
};

function both(seconds: number): Row['keptSeconds'] {
  return { enroll: seconds, login: seconds };
}

function inconclusive(more: Pick<Row, 'isRetried' | 'prefixSeconds'> = {}): Row {
  return { enroll: 'inconclusive', login: 'inconclusive', keptSeconds: NOT_KEPT, ...more };
}

/** Error codes that say something of their own. HLR spec §7. */
const BY_CODE: ReadonlyMap<number | null, Verdict> = new Map([
  [1006, 'no-balance'],
  [1221, 'invalid-phone'],
  [2003, 'invalid-phone'],
  [1222, 'unavailable'],
  [2002, 'unavailable'],
  [2004, 'no-permission'],
  [2005, 'not-supported'],
]);

/** What a lookup says. An unknown word is no verdict of the number, wherever it stands. HLR spec §2. */
export function readVerdict({ status, advancedStatus }: Lookup): Verdict {
  if (status === 'valid') return 'valid';
  if (status === 'error') return 'error';
  if (status !== 'invalid') return 'unknown-status';
  if (advancedStatus === null) return 'invalid';
  return ADVANCED_STATUSES.find((known) => known === advancedStatus) ?? 'unknown-status';
}

/** What an error of the lookup says. */
export function readFailure(error: unknown): Verdict {
  const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
  return BY_CODE.get(code) ?? 'failed';
}

/** An unknown word as it may stand in an event: letters alone, so that it cannot be a number. Null when it is no such word. */
export function readUnknownWord({ status, advancedStatus }: Lookup): string | null {
  const word = status === 'invalid' ? advancedStatus : status;
  return word !== null && /^[A-Za-z_-]{1,40}$/.test(word) ? word : null;
}
