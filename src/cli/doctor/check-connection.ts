import { GatewayRejectedError, type GatewayClient } from '../../client';
import { fail, pass, toFinding, warn, type Finding } from './finding';

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
