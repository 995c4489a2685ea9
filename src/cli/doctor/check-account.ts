import { type GatewayClient, GatewayRejectedError, GatewayResponseError, type Lookup } from '../../client';
import { cleanText } from '../output/screen';
import { fail, type Finding, pass, toFinding, warn } from './check-result';

type Variant = GatewayClient['variant'];

/** What asking for the balance the way of one variant has come to. */
type Probe =
  | { readonly kind: 'spoken'; readonly balance: string }
  | { readonly kind: 'unknown-path' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The variant that the gateway speaks, and the balance the probe has brought; null when neither is known. */
export interface FoundVariant {
  readonly finding: Finding;
  readonly variant: Variant | null;
  readonly balance: string | null;
}

/**
 * Finds the variant by asking for the balance the way of either, which is free: their paths differ. OTP spec §1.
 * @param configured Null when SMS_OTP_VARIANT is not set, which means A.
 */
export async function checkVariant(
  clients: Readonly<Record<Variant, GatewayClient>>,
  configured: Variant | null,
): Promise<FoundVariant> {
  const wanted = configured ?? 'A';
  const other = wanted === 'A' ? 'B' : 'A';
  const own = await probe(clients[wanted]);
  if (own.kind === 'spoken') {
    const text = configured === null ? `${wanted}, as without SMS_OTP_VARIANT` : wanted;
    return { finding: pass('variant', text), variant: wanted, balance: own.balance };
  }
  const second = await probe(clients[other]);
  if (second.kind === 'spoken') {
    return { finding: toMismatch(configured, other), variant: other, balance: second.balance };
  }
  return { finding: toUnknown(own), variant: null, balance: null };
}

function toMismatch(configured: Variant | null, spoken: Variant): Finding {
  const detail = configured === null ? `it speaks ${spoken}` : `it speaks ${spoken}, not ${configured}`;
  return fail('variant', detail, `Set SMS_OTP_VARIANT=${spoken}.`);
}

function toUnknown(own: Exclude<Probe, { kind: 'spoken' }>): Finding {
  if (own.kind === 'failed') return toFinding('variant', own.error);
  return warn(
    'variant',
    'neither A nor B: it has no balance at either path',
    "Look at the path in SMS_OTP_BASE_URL, and ask the gateway's operator whether the OTP service is on.",
  );
}

async function probe({ otp }: GatewayClient): Promise<Probe> {
  try {
    return { kind: 'spoken', ...(await otp.balance()) };
  } catch (error) {
    return isUnknownPath(error) ? { kind: 'unknown-path' } : { kind: 'failed', error };
  }
}

/** OTP spec §7: 404 with code 1007; a server in front may answer 404 in its own way. */
function isUnknownPath(error: unknown): boolean {
  if (error instanceof GatewayRejectedError) return error.gatewayCode === 1007 || error.httpStatus === 404;
  return error instanceof GatewayResponseError && error.httpStatus === 404;
}

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
    return warn('lookup', detail, advice ?? 'numberCheck and simSwap need lookups.');
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
