import type { Admission, GatewayClient } from '../client/gateway-client';
import {
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  type SmsOtpError,
} from '../errors';
import type { Challenge } from '../stores/store';
import { readPinRejection } from './pin-rejection';

/** What the gateway made of a code. `lost`: the answer did not arrive whole, so the code may have been judged. */
export type Judgement =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'over' }
  | { readonly kind: 'lost'; readonly error: SmsOtpError };

/**
 * Has the gateway judge a code. OTP spec §4, validate.
 * @throws {SmsOtpError} when the code was surely not judged: the challenge lives on.
 */
export async function judgePin(
  gateway: GatewayClient,
  { otpId, mobile }: Challenge,
  pin: string,
  admission: Admission,
): Promise<Judgement> {
  try {
    await gateway.otp.validate({ id: otpId, mobile, pin }, admission);
    return { kind: 'right' };
  } catch (error) {
    if (isLost(error)) return { kind: 'lost', error };
    if (!(error instanceof GatewayRejectedError)) throw error;
    const rejection = readPinRejection(gateway.variant, error);
    if (rejection === 'not-judged') throw error;
    return { kind: rejection };
  }
}

function isLost(
  error: unknown,
): error is GatewayResponseError | GatewayTimeoutError | GatewayUnreachableError {
  if (error instanceof GatewayResponseError) return true;
  const isCut = error instanceof GatewayTimeoutError || error instanceof GatewayUnreachableError;
  return isCut && error.mayHaveArrived;
}
