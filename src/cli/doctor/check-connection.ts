import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { rootCertificates } from 'node:tls';
import { type GatewayClient, GatewayRejectedError } from '../../client';
import { measureTemplate } from '../../protocol/message-length';
import type { GatewaySettings } from '../gateway/with-gateway';
import { fail, type Finding, pass, toFinding, warn } from './check-result';

const TIMEOUT_MS = 3_000;
/** The Date header counts whole seconds, and the answer takes its time. */
const TOLERANCE_SECONDS = 30;

type Place = Pick<GatewaySettings, 'baseUrl' | 'ca'>;

/** Holds this clock against the Date of an answer (RFC 9110, 6.6.1); null when no answer tells it. No credentials are sent. */
export async function checkClock(place: Place, now: () => number): Promise<Finding | null> {
  const date = await readDate(place);
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return null;
  const seconds = Math.round((now() - theirs) / 1_000);
  const size = Math.abs(seconds);
  if (size <= TOLERANCE_SECONDS) return pass('clock', "agrees with the gateway's");
  const detail = `${size} s ${seconds > 0 ? 'ahead of' : 'behind'} the gateway's`;
  return warn(
    'clock',
    detail,
    "Set this machine's clock by NTP: the deadlines of codes are measured with it.",
  );
}

/** The client of the gateway shows no headers, and needs none: this is the one question beside it. */
function readDate({ baseUrl, ca }: Place): Promise<string | null> {
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
    // Whether the gateway can be reached has been told already.
    request.on('error', () => resolve(null));
    request.once('close', () => resolve(null));
    request.end();
  });
}

/** The longest code the gateway makes. Not shown in OTP spec §4. */
const MOST_PIN_DIGITS = 10;

/** Whether a text fits one message with its code. OTP spec §4, §8. */
export function checkTemplate(template: string): Finding {
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

/** What is known of the way to the gateway; `isOpen`: the other checks can go on. */
export interface Connection {
  readonly findings: readonly Finding[];
  readonly isOpen: boolean;
}

/** Authenticates: is the gateway there, does it answer as documented, does it take the credentials. */
export async function checkConnection(client: GatewayClient, now: () => number): Promise<Connection> {
  try {
    await client.warmUp();
  } catch (error) {
    return { findings: toFindings(error), isOpen: false };
  }
  const startedAt = now();
  // Whatever it says, it says it this fast.
  await client.otp.balance().catch(() => undefined);
  const tookMs = Math.round(now() - startedAt);
  const detail = `answers in ${tookMs} ms`;
  const gateway =
    tookMs < SLOW_MS
      ? pass('gateway', detail)
      : warn(
          'gateway',
          detail,
          'Every login waits as long. Look at the network between here and the gateway.',
        );
  return { findings: [gateway, pass('credentials', 'accepted')], isOpen: true };
}

function toFindings(error: unknown): readonly Finding[] {
  const finding = toFinding('gateway', error);
  if (!(error instanceof GatewayRejectedError)) return [finding];
  const { gatewayCode } = error;
  if (gatewayCode !== null && CREDENTIAL_CODES.includes(gatewayCode)) {
    const refused = fail('credentials', `refused (${gatewayCode})`, finding.advice);
    return [pass('gateway', 'answers'), refused];
  }
  if (gatewayCode !== NO_SUCH_PATH) return [finding];
  return [fail('gateway', 'answers, but has no /apis/auth', 'Look at the path in SMS_OTP_BASE_URL.')];
}
