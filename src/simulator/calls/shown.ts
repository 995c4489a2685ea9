import { NumberLiteral } from '../http/json';
import type { Readings } from '../readings';
import { toDecimal, toMillionths } from '../state/money';

/** A number in an answer. OTP spec §2, HLR spec §2. */
export function showMobile(digits: string, { mobileAs }: Readings): unknown {
  if (mobileAs === 'number') return new NumberLiteral(digits);
  return mobileAs === 'plus' ? `+${digits}` : digits;
}

/** An OTP id of B, which is a JSON number of any size. OTP spec §2. */
export function showOtpId(id: string, { idAs }: Readings): unknown {
  return idAs === 'number' ? new NumberLiteral(id) : id;
}

/** An amount with as many decimals as this reading has. OTP spec §2, HLR spec §2. */
export function showAmount(amount: string, { moneyDecimals }: Readings): string {
  return toDecimal(toMillionths(amount), moneyDecimals);
}

/** The cost of an OTP. OTP spec §2. */
export function showCost(amount: string, readings: Readings): unknown {
  const shown = showAmount(amount, readings);
  return readings.costAs === 'number' ? new NumberLiteral(shown) : shown;
}
