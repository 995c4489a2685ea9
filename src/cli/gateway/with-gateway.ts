import { GatewayClient } from '../../client';
import { blameUsage, UsageError } from '../failures';
import type { CommandCall } from '../command';
import { readGatewaySettings, type GatewaySettings } from './gateway-settings';

/**
 * Runs something with a client for the account of the environment, and closes it. Without SMS_OTP_VARIANT it is A.
 * @param onInterrupt What Ctrl+C does to calls under way: they end, or they are waited for.
 */
export async function withGateway<Result>(
  call: CommandCall,
  use: (client: GatewayClient) => Promise<Result>,
  onInterrupt: 'end' | 'finish' = 'end',
): Promise<Result> {
  const client = await openGateway(await readGatewaySettings(call));
  if (onInterrupt === 'end') endOnInterrupt(client, call.io.signal);
  try {
    return await use(client);
  } finally {
    await client.close(0);
  }
}

/** @throws {UsageError} when an option is wrong, in the client's own words, which show no value. */
export async function openGateway({ variant, ...settings }: GatewaySettings): Promise<GatewayClient> {
  try {
    return await blameUsage(() => new GatewayClient({ ...settings, variant: variant ?? 'A' }));
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(nameVariable(error.message)) : error;
  }
}

/** The user knows the variable, not the option. */
function nameVariable(message: string): string {
  return message
    .replace(/^GatewayClient: baseUrl\b/, 'SMS_OTP_BASE_URL')
    .replace(/^GatewayClient: ca\b/, 'the file of --ca');
}

/** Ends calls that are under way when Ctrl+C comes; what they throw then is not shown. */
export function endOnInterrupt(client: GatewayClient, signal: AbortSignal): void {
  signal.addEventListener('abort', () => void client.close(0), { once: true });
}
