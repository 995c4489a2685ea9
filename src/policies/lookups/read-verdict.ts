import { GatewayRejectedError } from '../../errors';
import { ADVANCED_STATUSES, type Lookup } from '../../protocol/hlr';
import type { Verdict } from './decision-table';

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
