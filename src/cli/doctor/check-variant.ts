import { GatewayRejectedError, GatewayResponseError, type GatewayClient } from '../../client';
import { fail, pass, toFinding, warn, type Finding } from './finding';

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
