import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { GatewaySettings } from '../gateway/gateway-settings';
import { pass, warn, type Finding } from './finding';

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
