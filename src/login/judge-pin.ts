import type { Admission, GatewayClient } from '../client/gateway-client';
import { GatewayRejectedError } from '../errors';
import type { Challenge } from '../stores/store';
import { readCode } from './code-input';
import type { Judge, Judgement } from './judge';
import type { LoginParts } from './login-parts';
import { mayHaveArrived } from './lost-answer';
import { readPinRejection } from './pin-rejection';

/** The gateway judges the codes that it has made and sent. */
export function createPinJudge(parts: LoginParts): Judge {
  const { gateway } = parts;
  return {
    method: 'sms',
    readCode,
    open: async () => {
      const admission = await gateway.admit('validate');
      return {
        judge: ({ challenge, code }) => judgePin(gateway, challenge, code, admission),
        close: () => admission.release(),
      };
    },
    // The number of an enrolment is not the user's yet.
    isStillValid: async (user, { purpose, mobile }) =>
      purpose === 'enrol' || (await parts.listPhones(user)).includes(mobile),
  };
}

/**
 * Has the gateway judge a code. OTP spec §4, validate.
 * @throws {SmsOtpError} when the code was surely not judged: the challenge lives on.
 */
async function judgePin(
  gateway: GatewayClient,
  { otpId, mobile }: Challenge,
  pin: string,
  admission: Admission,
): Promise<Judgement> {
  try {
    await gateway.otp.validate({ id: otpId, mobile, pin }, admission);
    return { kind: 'right' };
  } catch (error) {
    if (mayHaveArrived(error)) return { kind: 'lost', error };
    if (!(error instanceof GatewayRejectedError)) throw error;
    const rejection = readPinRejection(gateway.variant, error);
    if (rejection === 'not-judged') throw error;
    return { kind: rejection };
  }
}
