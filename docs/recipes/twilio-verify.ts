import { GatewayResponseError, type OtpGateway, type PinVerdict } from 'passport-sms-otp';
import { askProvider, basicAuthorization, type ProviderAnswer, toRejection } from './provider-http';

/** An account at Twilio, and a service of Verify in it. */
export interface TwilioVerifyOptions {
  /** `AC…`, or the SID of an API key: `SK…`. */
  readonly accountSid: string;
  /** The account's token, or the secret of the API key. */
  readonly authToken: string;
  /** `VA…`: its settings decide the message, the length of codes and Fraud Guard. */
  readonly serviceSid: string;
  /** Default: Twilio's. */
  readonly baseUrl?: string;
  /** Milliseconds for one call. Default: 9,000. */
  readonly timeoutMs?: number;
}

/** Seconds that a code of Verify lives, from the first text; `codeValiditySeconds` is shorter. */
const TWILIO_VALIDITY_SECONDS = 600;

/** The provider counts the attempts at a verification, over all logins that share it. */
const MAX_CHECKS_REACHED = 60202;

/**
 * Twilio Verify as gateway. Twilio makes the code and writes the text. While a verification of a
 * number is open, another text repeats its SID and its code: for a login that has that id already
 * it is the same text, whose attempts go on.
 */
export function twilioVerify(options: TwilioVerifyOptions): OtpGateway {
  const { accountSid, authToken, serviceSid, timeoutMs = 9_000 } = options;
  const { baseUrl = 'https://verify.twilio.com/v2' } = options;
  const headers = {
    Authorization: basicAuthorization(accountSid, authToken),
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  const post = (
    call: 'generate' | 'validate',
    resource: string,
    fields: Record<string, string>,
  ): Promise<ProviderAnswer> => {
    const url = `${baseUrl}/Services/${encodeURIComponent(serviceSid)}/${resource}`;
    return askProvider({
      call,
      url,
      headers,
      body: String(new URLSearchParams(fields)),
      timeoutMs,
    });
  };

  return {
    writesMessages: false,
    async generate({ to, validitySeconds }) {
      const answer = await post('generate', 'Verifications', { To: to, Channel: 'sms' });
      if (answer.status !== 200 && answer.status !== 201) throw toRejection('generate', answer);
      const { sid, status, to: sentTo } = answer.body;
      if (typeof sid !== 'string' || !/^VE[0-9a-f]{32}$/i.test(sid) || sentTo !== to)
        throw new GatewayResponseError('generate', answer.status, 'it names no verification');
      if (status !== 'pending')
        throw new GatewayResponseError('generate', answer.status, 'the verification is not open');
      return { id: sid, validitySeconds: Math.min(validitySeconds, TWILIO_VALIDITY_SECONDS) };
    },
    async validate({ id, to, pin }) {
      const answer = await post('validate', 'VerificationCheck', {
        VerificationSid: id,
        Code: pin,
      });
      return readCheck(answer, id, to);
    },
  };
}

/** Only the one word lets in, for this verification and this number. */
function readCheck(answer: ProviderAnswer, id: string, to: string): PinVerdict {
  const { status: httpStatus, body } = answer;
  // It was right, has expired or is used up: Twilio forgets it then.
  if (httpStatus === 404) return 'over';
  if (httpStatus === 429 && body.code === MAX_CHECKS_REACHED) return 'over';
  if (httpStatus !== 200 && httpStatus !== 201) throw toRejection('validate', answer);
  const { sid, status, to: sentTo } = body;
  if (sid !== id || typeof status !== 'string')
    throw new GatewayResponseError('validate', httpStatus, 'it names another verification');
  if (status === 'approved') return sentTo === to ? 'right' : 'over';
  return status === 'pending' ? 'wrong' : 'over';
}
