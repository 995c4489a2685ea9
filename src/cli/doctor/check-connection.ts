import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { rootCertificates } from 'node:tls';
import { type GatewayClient, GatewayRejectedError } from '../../client';
import { measureTemplate } from '../../protocol/message-length';
import type { GatewayEnvironment } from '../gateway';
import { type CheckResult, fail, notTested, pass, toResult, warn } from './check-result';

const TIMEOUT_MS = 3_000;
/** The Date header counts whole seconds, and the answer takes its time. */
const TOLERANCE_SECONDS = 30;

type Endpoint = Pick<GatewayEnvironment, 'baseUrl' | 'ca'>;

/** Compares the clock with the Date header of an answer (RFC 9110, 6.6.1). No credentials are sent. */
export async function checkClock(endpoint: Endpoint, now: () => number): Promise<CheckResult> {
  const date = await readDate(endpoint);
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return notTested('clock', 'the gateway sends no Date header');
  const seconds = Math.round((now() - theirs) / 1_000);
  const size = Math.abs(seconds);
  if (size <= TOLERANCE_SECONDS) return pass('clock', "agrees with the gateway's");
  const detail = `${size} s ${seconds > 0 ? 'ahead of' : 'behind'} the gateway's`;
  return warn(
    'clock',
    detail,
    "Synchronize this machine's clock by NTP: the deadlines of codes depend on it.",
  );
}

/** The gateway client shows no headers, so this is a request of its own. */
function readDate({ baseUrl, ca }: Endpoint): Promise<string | null> {
  const isSecure = baseUrl.startsWith('https:');
  const authorities = typeof ca === 'string' ? { ca: [...rootCertificates, ca] } : {};
  return new Promise((resolve) => {
    const send = isSecure ? requestSecure : requestPlain;
    const request = send(baseUrl, { method: 'HEAD', agent: false, timeout: TIMEOUT_MS, ...authorities });
    request.once('response', (response) => {
      response.resume();
      resolve(response.headers.date ?? null);
      request.destroy();
    });
    request.once('timeout', () => request.destroy());
    // Whether the gateway can be reached was reported before.
    request.on('error', () => resolve(null));
    request.once('close', () => resolve(null));
    request.end();
  });
}

/** The longest code the gateway makes. Not shown in OTP spec §4. */
const MOST_PIN_DIGITS = 10;

/** Checks whether a template fits one message with its code. OTP spec §4, §8. */
export function checkTemplate(template: string): CheckResult {
  const { encoding, units, limit, problem } = measureTemplate(template, MOST_PIN_DIGITS);
  if (problem === null) return pass('template', `${units} of ${limit} (${encoding}) with the longest code`);
  const advice = problem.includes('[PIN]')
    ? 'Write [PIN] where the code goes, once.'
    : 'Shorten it, or replace the characters that are named.';
  return fail('template', problem, advice);
}

const SLOW_MS = 2_000;

/** OTP spec §7, HLR spec §7: codes of the authentication. */
const CREDENTIAL_CODES = [1002, 1003, 1004];
const NO_SUCH_PATH = 1007;

/** `isUsable`: the other checks can be made. */
export interface Connection {
  readonly results: readonly CheckResult[];
  readonly isUsable: boolean;
}

/** Authenticates: checks that the gateway is reachable, answers as documented and accepts the credentials. */
export async function checkConnection(client: GatewayClient, now: () => number): Promise<Connection> {
  try {
    await client.warmUp();
  } catch (error) {
    return { results: toResults(error), isUsable: false };
  }
  const startedAt = now();
  // Only its duration matters here.
  await client.otp.balance().catch(() => undefined);
  const tookMs = Math.round(now() - startedAt);
  const detail = `answers in ${tookMs} ms`;
  const gateway =
    tookMs < SLOW_MS
      ? pass('gateway', detail)
      : warn(
          'gateway',
          detail,
          'Every login waits that long. Check the network between here and the gateway.',
        );
  return { results: [gateway, pass('credentials', 'accepted')], isUsable: true };
}

const UNTESTED_CREDENTIALS = notTested('credentials', 'the gateway cannot be used');

function toResults(error: unknown): readonly CheckResult[] {
  const result = toResult('gateway', error);
  if (!(error instanceof GatewayRejectedError)) return [result, UNTESTED_CREDENTIALS];
  const { gatewayCode } = error;
  if (gatewayCode !== null && CREDENTIAL_CODES.includes(gatewayCode)) {
    const refused = fail('credentials', `refused (${gatewayCode})`, result.advice);
    return [pass('gateway', 'answers'), refused];
  }
  if (gatewayCode !== NO_SUCH_PATH) return [result, UNTESTED_CREDENTIALS];
  return [
    fail('gateway', 'answers, but has no /apis/auth', 'Check the path in SMS_OTP_BASE_URL.'),
    UNTESTED_CREDENTIALS,
  ];
}
