import {
  GatewayBusyError,
  GatewayRejectedError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  type HlrCalls,
  type Lookup,
  SmsOtpError,
} from '../../client';
import { toMicros } from '../../policies/spend-limits/micros';
import type { Result } from './csv-files';

/** What came of one lookup. Costs are millionths. */
export type Answer =
  /** Something final about the number. */
  | { readonly kind: 'known'; readonly result: Result; readonly cost: number }
  /** Nothing is known; a later run may ask again. */
  | {
      readonly kind: 'failed';
      readonly error: SmsOtpError;
      readonly cost: number;
      readonly isHopeless: boolean;
    };

/** HLR spec §7: the number itself is refused. */
const ABOUT_THE_NUMBER = [1221, 2003, 2005];
/** HLR spec §7: the next lookup would be refused, too: credentials, money, permission. */
const HOPELESS = [1002, 1003, 1004, 1006, 1007, 2004];

/** Looks a number up. @param price What it counts for where the answer tells no cost. */
export async function askNumber(hlr: HlrCalls, mobile: string, price: number): Promise<Answer> {
  try {
    const lookup = await hlr.lookup(mobile);
    return { kind: 'known', result: toResult(lookup), cost: toMicros(lookup.cost) ?? price };
  } catch (error) {
    if (!(error instanceof SmsOtpError)) throw error;
    return toAnswer(error, mobile, price);
  }
}

/** The columns of a lookup. IMSI and MSC are nobody's business and stay out. */
export function toResult(lookup: Lookup): Result {
  const { phone, status, advancedStatus, country, operator, mcc, mnc, cost } = lookup;
  return { phone, status, advanced_status: advancedStatus, country, operator, mcc, mnc, cost, error: null };
}

/** Not shown in HLR spec §8: whether a refused or lost lookup costs; whatever may have arrived counts as paid. */
function toAnswer(error: SmsOtpError, phone: string, price: number): Answer {
  const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
  const cost = hasNotLeft(error) ? 0 : price;
  if (code === null || !ABOUT_THE_NUMBER.includes(code)) {
    return { kind: 'failed', error, cost, isHopeless: code !== null && HOPELESS.includes(code) };
  }
  const [nothing, error_] = [null, String(code)];
  const rest = { country: nothing, operator: nothing, mcc: nothing, mnc: nothing, cost: nothing };
  return {
    kind: 'known',
    result: { phone, status: nothing, advanced_status: nothing, ...rest, error: error_ },
    cost,
  };
}

function hasNotLeft(error: SmsOtpError): boolean {
  if (error instanceof GatewayUnreachableError || error instanceof GatewayTimeoutError)
    return !error.mayHaveArrived;
  return error instanceof GatewayBusyError;
}
