import {
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  type OtpCall,
} from 'passport-sms-otp';

/** What a provider has answered. */
export interface ProviderAnswer {
  readonly status: number;
  /** The members of the JSON object; none where the body is another value. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Seconds of `Retry-After`, or null. */
  readonly retryAfterSeconds: number | null;
}

/** One call of a provider. */
export interface ProviderCall {
  readonly call: OtpCall;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Below the ten seconds that a login gives a gateway. */
  readonly timeoutMs: number;
}

/** Failures before the first byte of a request has left. */
const NOTHING_LEFT: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * Posts once, never again, and reads the answer.
 * @throws {GatewayUnreachableError} when no answer arrives, with `mayHaveArrived: false` when the
 * request surely has not left.
 * @throws {GatewayTimeoutError} when it has not arrived in time.
 * @throws {GatewayResponseError} when the provider has failed, or its answer is no JSON.
 */
export async function askProvider(asked: ProviderCall): Promise<ProviderAnswer> {
  const { call, url, headers, body, timeoutMs } = asked;
  const signal = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    text = await response.text();
  } catch (error) {
    if (signal.aborted) throw new GatewayTimeoutError(call, timeoutMs, true);
    const cause: unknown = (error as Error).cause;
    const code: unknown = (cause as { readonly code?: unknown } | undefined)?.code;
    throw new GatewayUnreachableError(call, !NOTHING_LEFT.includes(code), cause);
  }
  const { status } = response;
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  const retryAfterSeconds = Number.isInteger(seconds) && seconds >= 0 ? seconds : null;
  // It may have sent or checked, and then failed.
  if (status >= 500 || status < 200)
    throw new GatewayResponseError(call, status, 'the provider has failed', retryAfterSeconds);
  return { status, body: parseObject(call, status, text), retryAfterSeconds };
}

function parseObject(call: OtpCall, status: number, text: string): ProviderAnswer['body'] {
  try {
    return Object(JSON.parse(text)) as ProviderAnswer['body'];
  } catch {
    // The parser's message may quote the answer.
    throw new GatewayResponseError(call, status, 'it is no JSON');
  }
}

/** An answer of 4xx: the provider has looked at the request and has done nothing. */
export function toRejection(
  call: OtpCall,
  { status: httpStatus, retryAfterSeconds }: ProviderAnswer,
): GatewayRejectedError | GatewayResponseError {
  if (httpStatus < 400)
    return new GatewayResponseError(call, httpStatus, 'it is not as documented');
  return new GatewayRejectedError(call, { httpStatus, retryAfterSeconds, mayHaveArrived: false });
}

/** The header of HTTP's own authentication. */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
