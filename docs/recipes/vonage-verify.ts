import { createHmac } from 'node:crypto';
import { GatewayResponseError, type OtpGateway } from 'passport-sms-otp';
import { askProvider, basicAuthorization, type ProviderAnswer, toRejection } from './provider-http';

/** An account at Vonage. */
export interface VonageVerifyOptions {
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Your name in Vonage's text: 1 to 16 characters. */
  readonly brand: string;
  /** 4 to 10. Default: 6. */
  readonly codeLength?: number;
  /** Default: Vonage's. */
  readonly baseUrl?: string;
  /** Milliseconds for one call. Default: 9,000. */
  readonly timeoutMs?: number;
}

/** A request's id, and a digest that binds it to its number: Vonage is not asked for the number. */
const ID = /^([0-9a-f-]{36})\.([\w-]{22})$/;

/**
 * Vonage Verify v2 as gateway, with one text and no other channel after it. Vonage makes the code
 * and writes the text. While a request of a number is open, it refuses another one: 409, and surely
 * no second text.
 */
export function vonageVerify(options: VonageVerifyOptions): OtpGateway {
  const { apiKey, apiSecret, brand, codeLength = 6, timeoutMs = 9_000 } = options;
  const { baseUrl = 'https://api.nexmo.com/v2/verify' } = options;
  const headers = {
    Authorization: basicAuthorization(apiKey, apiSecret),
    'Content-Type': 'application/json',
  };
  const post = (
    call: 'generate' | 'validate',
    path: string,
    members: object,
  ): Promise<ProviderAnswer> => {
    const body = JSON.stringify(members);
    return askProvider({ call, url: `${baseUrl}${path}`, headers, body, timeoutMs });
  };
  const bind = (requestId: string, to: string): string => {
    const digest = createHmac('sha256', apiSecret).update(`${requestId} ${to}`);
    return `${requestId}.${digest.digest('base64url').slice(0, 22)}`;
  };

  return {
    writesMessages: false,
    async generate({ to, validitySeconds }) {
      const answer = await post('generate', '', {
        brand,
        code_length: codeLength,
        // The code lives as long as its only channel.
        channel_timeout: validitySeconds,
        workflow: [{ channel: 'sms', to: to.slice(1) }],
      });
      if (answer.status !== 202) throw toRejection('generate', answer);
      const { request_id: requestId } = answer.body;
      if (typeof requestId !== 'string' || !/^[0-9a-f-]{36}$/.test(requestId))
        throw new GatewayResponseError('generate', answer.status, 'it names no request');
      return { id: bind(requestId, to), validitySeconds };
    },
    async validate({ id, to, pin }) {
      const [, requestId = ''] = ID.exec(id) ?? [];
      if (id !== bind(requestId, to)) return 'over';
      const answer = await post('validate', `/${requestId}`, { code: pin });
      const { status: httpStatus, body } = answer;
      if (httpStatus === 400) return 'wrong';
      // It was right, has ended, or has seen too many wrong codes.
      if (httpStatus === 404 || httpStatus === 410) return 'over';
      if (httpStatus !== 200) throw toRejection('validate', answer);
      if (body.request_id !== requestId || body.status !== 'completed')
        throw new GatewayResponseError('validate', httpStatus, 'it does not say that it is right');
      return 'right';
    },
  };
}
