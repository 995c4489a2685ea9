import { GatewayRejectedError, type GatewayClient, type Lookup } from '../../client';
import { cleanText } from '../screen/clean-text';
import { fail, pass, toFinding, warn, type Finding } from './finding';

/** A number that belongs to nobody, and an id that no gateway gives: nothing can be validated with them. */
const NOBODY = '+12025550100';
const NO_ID = { A: 'no-such-id', B: '9007199254740991' } as const;

/** OTP spec §7: answers about the code or the path, which say nothing of a permission. */
const NO_REFUSAL = [1007, 2103, 2107, 2108, 2109, 2120];

/**
 * Whether the account may send codes, as far as a free question tells: a code that was never sent is validated.
 * Not shown in OTP spec §7: whether validating is refused with 2100 as sending is.
 */
export async function probeOtp({ otp, variant }: GatewayClient): Promise<Finding> {
  try {
    await otp.validate({ id: NO_ID[variant], mobile: NOBODY, pin: '0000' });
  } catch (error) {
    const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
    if (code === null || !NO_REFUSAL.includes(code)) return toFinding('otp', error);
    return pass('otp', 'not refused; --send proves it, for money');
  }
  return fail(
    'otp',
    'a code that was never sent is called right',
    'Do not use this gateway; tell its operator.',
  );
}

/** Texts a code: the proof, for money. */
export async function proveOtp({ otp }: GatewayClient, mobile: string): Promise<Finding> {
  try {
    await otp.generate({ mobile });
    return pass('otp', `a code is on its way to ${mobile}`);
  } catch (error) {
    return toFinding('otp', error);
  }
}

/** Whether lookups are refused, as far as a free question tells. An account can do without them. */
export async function probeLookup({ hlr }: GatewayClient): Promise<Finding> {
  try {
    await hlr.balance();
    return pass('lookup', 'not refused; --lookup proves it, for money');
  } catch (error) {
    const { detail, advice } = toFinding('lookup', error);
    return warn('lookup', detail, advice ?? 'numberCheck and simChange need lookups.');
  }
}

/** A lookup: the proof, for money. */
export async function proveLookup(
  { hlr }: GatewayClient,
  mobile: string,
): Promise<{ readonly finding: Finding; readonly lookup: Lookup | null }> {
  try {
    const lookup = await hlr.lookup(mobile);
    const facts = [lookup.status, lookup.operator, lookup.country]
      .map(cleanText)
      .filter((text) => text !== '');
    return { finding: pass('lookup', `${mobile}: ${facts.join(', ')}`), lookup };
  } catch (error) {
    return { finding: toFinding('lookup', error), lookup: null };
  }
}
