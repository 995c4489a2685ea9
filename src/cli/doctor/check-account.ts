import { type GatewayClient, GatewayRejectedError, GatewayResponseError, type Lookup } from '../../client';
import { cleanText } from '../terminal';
import { type CheckResult, fail, notTested, pass, toResult, warn } from './check-result';

type Variant = GatewayClient['variant'];

/** The result of requesting the balance at one variant's path. */
type Probe =
  | { readonly kind: 'found'; readonly balance: string }
  | { readonly kind: 'unknown-path' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The variant of the gateway and the balance; both null when neither path works. */
export interface FoundVariant {
  readonly result: CheckResult;
  readonly variant: Variant | null;
  readonly balance: string | null;
}

/**
 * Finds the variant by requesting the balance at the path of each, which is free. OTP spec §1.
 * @param configured Null when SMS_OTP_VARIANT is not set, which means A.
 */
export async function checkVariant(
  clients: Readonly<Record<Variant, GatewayClient>>,
  configured: Variant | null,
): Promise<FoundVariant> {
  const wanted = configured ?? 'A';
  const other = wanted === 'A' ? 'B' : 'A';
  const own = await probe(clients[wanted]);
  if (own.kind === 'found') {
    const text = configured === null ? `${wanted}, the default without SMS_OTP_VARIANT` : wanted;
    return { result: pass('variant', text), variant: wanted, balance: own.balance };
  }
  const second = await probe(clients[other]);
  if (second.kind === 'found') {
    const detail = `the gateway is variant ${other}${configured === null ? '' : `, not ${configured}`}`;
    const result = fail('variant', detail, `Set SMS_OTP_VARIANT=${other}.`);
    return { result, variant: other, balance: second.balance };
  }
  return { result: toUnknown(own), variant: null, balance: null };
}

function toUnknown(own: Exclude<Probe, { kind: 'found' }>): CheckResult {
  if (own.kind === 'failed') return toResult('variant', own.error);
  return warn(
    'variant',
    'neither A nor B: there is no balance at the path of either',
    "Check the path in SMS_OTP_BASE_URL, and ask the gateway's operator whether the OTP service is enabled.",
  );
}

async function probe({ otp }: GatewayClient): Promise<Probe> {
  try {
    return { kind: 'found', ...(await otp.balance()) };
  } catch (error) {
    return isUnknownPath(error) ? { kind: 'unknown-path' } : { kind: 'failed', error };
  }
}

/** OTP spec §7: 404 with code 1007. A server in front may answer 404 without it. */
function isUnknownPath(error: unknown): boolean {
  if (error instanceof GatewayRejectedError) return error.gatewayCode === 1007 || error.httpStatus === 404;
  return error instanceof GatewayResponseError && error.httpStatus === 404;
}

/** A fictional number, and ids that no gateway issues: nothing can be validated with them. */
const FICTIONAL_MOBILE = '+12025550100';
const UNUSED_ID = { A: 'no-such-id', B: '9007199254740991' } as const;

/** OTP spec §7: answers about the code or the path, not about a permission. */
const PERMITTED = [1007, 2103, 2107, 2108, 2109, 2120];

/**
 * Checks whether the account may send codes, as far as a free call shows: validates a code that was never sent.
 * Not shown in OTP spec §7: whether validating is refused with 2100 as sending is.
 */
export async function probeOtp({ otp, variant }: GatewayClient): Promise<CheckResult> {
  try {
    await otp.validate({ id: UNUSED_ID[variant], mobile: FICTIONAL_MOBILE, pin: '0000' });
  } catch (error) {
    const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
    if (code === null || !PERMITTED.includes(code)) return toResult('otp', error);
    return notTested('otp', 'a free call was not refused', 'Test it with --number and --send, for money.');
  }
  return fail(
    'otp',
    'a code that was never sent was accepted',
    'Do not use this gateway, and inform its operator.',
  );
}

/** Texts a code, for money. */
export async function testOtp({ otp }: GatewayClient, mobile: string): Promise<CheckResult> {
  try {
    await otp.generate({ mobile });
    return pass('otp', `a code was sent to ${mobile}`);
  } catch (error) {
    return toResult('otp', error);
  }
}

/** Checks whether lookups are refused, as far as a free call shows. Without them it only warns: they are optional. */
export async function probeLookup({ hlr }: GatewayClient): Promise<CheckResult> {
  try {
    await hlr.balance();
    return notTested(
      'lookup',
      'a free call was not refused',
      'Test it with --number and --lookup, for money.',
    );
  } catch (error) {
    const { detail, advice } = toResult('lookup', error);
    return warn('lookup', detail, advice ?? 'numberCheck and simSwap need lookups.');
  }
}

/** Looks a number up, for money. */
export async function testLookup(
  { hlr }: GatewayClient,
  mobile: string,
): Promise<{ readonly result: CheckResult; readonly lookup: Lookup | null }> {
  try {
    const lookup = await hlr.lookup(mobile);
    const facts = [lookup.status, lookup.operator, lookup.country]
      .map(cleanText)
      .filter((text) => text !== '');
    return { result: pass('lookup', `${mobile}: ${facts.join(', ')}`), lookup };
  } catch (error) {
    return { result: toResult('lookup', error), lookup: null };
  }
}
