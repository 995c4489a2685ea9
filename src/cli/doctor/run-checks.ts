import type { GatewayClient, Lookup } from '../../client';
import { LocalTokenStore } from '../../client/shared-token';
import type { CommandCall } from '../command';
import {
  endOnInterrupt,
  type GatewaySettings,
  openGateway,
  readGatewaySettings,
} from '../gateway/with-gateway';
import { checkVariant, probeLookup, probeOtp, proveLookup, proveOtp } from './check-account';
import { checkClock, checkConnection, checkTemplate } from './check-connection';
import { checkBalance, checkPrice, checkPrices } from './check-money';
import type { Finding } from './check-result';
import { checkState } from './check-state';

/** What the paid checks are done with. */
export interface Examined {
  /** E.164 with plus, or null. */
  readonly mobile: string | null;
  readonly isSending: boolean;
  readonly isLookingUp: boolean;
}

/** Every check, one after the other; where the gateway cannot be used, what needs it is left out. */
export async function* examine(call: CommandCall, wishes: Examined): AsyncGenerator<Finding> {
  const settings = await readGatewaySettings(call);
  yield* examineGateway(call, settings, wishes);
  const template = call.args.text('template');
  if (template !== undefined) yield checkTemplate(template);
  yield* checkState(call);
}

async function* examineGateway(
  { io }: CommandCall,
  settings: GatewaySettings,
  wishes: Examined,
): AsyncGenerator<Finding> {
  // One token for both, so that the second does not throw the first out. OTP spec §3.
  const shared = { ...settings, tokenStore: new LocalTokenStore() };
  const [a, b] = [
    await openGateway({ ...shared, variant: 'A' }),
    await openGateway({ ...shared, variant: 'B' }),
  ];
  for (const client of [a, b]) endOnInterrupt(client, io.signal);
  try {
    const connection = await checkConnection(settings.variant === 'B' ? b : a, io.now);
    yield* connection.findings;
    if (!connection.isOpen) return;
    const clock = await checkClock(settings, io.now);
    if (clock !== null) yield clock;
    const { finding, variant, balance } = await checkVariant({ A: a, B: b }, settings.variant);
    yield finding;
    if (variant !== null) yield* examineAccount(variant === 'A' ? a : b, balance ?? '', wishes);
  } finally {
    await Promise.all([a.close(0), b.close(0)]);
  }
}

async function* examineAccount(
  client: GatewayClient,
  balance: string,
  { mobile, isSending, isLookingUp }: Examined,
): AsyncGenerator<Finding> {
  const { finding, table } = await checkPrices(client);
  yield checkBalance(balance, table);
  yield finding;
  yield mobile !== null && isSending ? await proveOtp(client, mobile) : await probeOtp(client);
  let lookup: Lookup | null = null;
  if (mobile !== null && isLookingUp) {
    const proof = await proveLookup(client, mobile);
    lookup = proof.lookup;
    yield proof.finding;
  } else yield await probeLookup(client);
  if (mobile !== null && table !== null) yield await checkPrice(mobile, table, lookup);
}
