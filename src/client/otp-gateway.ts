import { GatewayRejectedError, GatewayResponseError } from '../errors';
import type { OtpGateway, PinVerdict } from '../gateway';
import type { Generated } from '../protocol/otp';
import type { GatewayClient } from './gateway-client';

/**
 * Makes an `OtpGateway` of a client: what `createSmsOtp` does with the client that it is given, for
 * a gateway of your own that asks this client among others. It ends with the client.
 */
export function otpGateway(client: GatewayClient): Required<OtpGateway> {
  return {
    writesMessages: true,
    maxCodeDigits: client.messageRules.maxCodeDigits,
    admit: (call) => client.admit(call),
    async generate(text, permit) {
      const generated = await client.otp.generate(text, permit);
      return { id: generated.id, ...readLife(generated) };
    },
    async validate(typed, permit) {
      try {
        await client.otp.validate(typed, permit);
        return 'right';
      } catch (error) {
        const verdict = error instanceof GatewayRejectedError ? readPinRejection(error) : null;
        if (verdict === null) throw error;
        return verdict;
      }
    },
    warmUp: () => warmUp(client),
    subscribe: (listener) => client.subscribe(listener),
    close: () => client.close(),
  };
}

/**
 * Warms the client up, and asks for the balance, which is free and has another path in each
 * variant: a text of the wrong variant would be paid, and its code could not be used. OTP spec §4.
 * @throws {GatewayResponseError} `ERR_GATEWAY_RESPONSE` when the path is unknown. Other failures of
 * the balance say nothing of the variant.
 */
async function warmUp(client: GatewayClient): Promise<void> {
  await client.warmUp();

  try {
    await client.otp.balance();
  } catch (error) {
    if (!isUnknownPath(error)) return;
    const problem =
      `there is no OTP service of variant ${client.variant} at this address; check variant and ` +
      'baseUrl';
    throw new GatewayResponseError('balance', 404, problem);
  }
}

/** The gateway has no such path. OTP spec §7, HLR spec §7. */
export const NO_SUCH_PATH = 1007;

/** Returns whether an error says so. A server in front may answer 404 without the code. */
export function isUnknownPath(error: unknown): boolean {
  if (error instanceof GatewayRejectedError)
    return error.gatewayCode === NO_SUCH_PATH || error.httpStatus === 404;
  return error instanceof GatewayResponseError && error.httpStatus === 404;
}

/** A reports the life of a code, B its cost. OTP spec §2, OTP object. */
function readLife(generated: Generated) {
  return generated.variant === 'A'
    ? { validitySeconds: generated.validitySeconds, cost: null }
    : { validitySeconds: null, cost: generated.cost };
}

/**
 * The pin is wrong and the pending login lives on. A cannot tell wrong from expired and consumed.
 * OTP spec §7.
 */
const WRONG_PIN: readonly unknown[] = [2107, 2120];
/**
 * The pin has expired or was consumed: the pending login ends. Never success, and the user is told
 * the same. OTP spec §7.
 */
const PIN_OVER: readonly unknown[] = [2108, 2109];

/**
 * Reads what a rejected validate call says of the pin; null: the gateway did not look at it. Which
 * code comes in which variant, and with which HTTP status, decides nothing.
 */
function readPinRejection(rejection: GatewayRejectedError): PinVerdict | null {
  if (WRONG_PIN.includes(rejection.gatewayCode)) return 'wrong';
  return PIN_OVER.includes(rejection.gatewayCode) ? 'over' : null;
}
