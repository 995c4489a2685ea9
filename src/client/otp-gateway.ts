import { GatewayRejectedError, GatewayResponseError } from '../errors';
import type { OtpGateway } from '../gateway';
import type { Generated } from '../protocol/otp';
import type { AdmittedCalls } from './calls';
import type { GatewayClient } from './gateway-client';

/**
 * Returns an `OtpGateway` that uses a client, as `createSmsOtp` does itself. Use it in a gateway of
 * your own that calls this client among others. It closes with the client.
 * @throws {TypeError} for a client with `keepsDetail`: errors of a login must not contain the
 * gateway's answer.
 */
export function otpGateway(client: GatewayClient): Required<OtpGateway> {
  if (client.keepsDetail) throw new TypeError(`otpGateway: the client ${KEEPS_DETAIL}`);
  const calls: AdmittedCalls = client.otp;

  return {
    writesMessages: true,
    maxCodeDigits: client.messageRules.maxCodeDigits,
    admit: (call) => client.admit(call),
    async generate({ to, ...text }, permit) {
      const asked = { ...text, mobile: to };
      const generated = await calls.generate(asked, undefined, permit);
      return { id: generated.id, ...readLife(generated) };
    },
    validate: ({ id, to, pin }, permit) => calls.check({ id, mobile: to, pin }, undefined, permit),
    warmUp: () => warmUp(client),
    subscribe: (listener) => client.subscribe(listener),
    close: () => client.close(),
  };
}

/** The error for a client whose errors contain the gateway's answer. */
export const KEEPS_DETAIL =
  'has keepsDetail, which is for a client used alone. Leave it out: errors of a login must ' +
  'not contain the answer of the gateway';

/**
 * Warms the client up and requests the balance. That is free and has another path in each variant.
 * With the wrong variant, messages would be sent and billed, but their codes could not be used. OTP
 * spec §4.
 * @throws {GatewayResponseError} `ERR_GATEWAY_RESPONSE` if the path is unknown. Other failures of
 * the balance do not indicate a wrong variant.
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

/**
 * Returns whether an error means an unknown path. A server in front may answer 404 without the
 * code.
 */
export function isUnknownPath(error: unknown): boolean {
  if (error instanceof GatewayRejectedError)
    return error.gatewayCode === NO_SUCH_PATH || error.httpStatus === 404;
  return error instanceof GatewayResponseError && error.httpStatus === 404;
}

/**
 * Returns what the gateway reports: in A the validity of a code, in B its cost. OTP spec §2, OTP
 * object.
 */
function readLife(generated: Generated) {
  return generated.variant === 'A'
    ? { validitySeconds: generated.validitySeconds, cost: null }
    : { validitySeconds: null, cost: generated.cost };
}
