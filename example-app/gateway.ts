import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import type { Config } from './config';

/** The gateway, real or simulated, as plain data that can be passed to workers. */
export interface Gateway {
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  /** Where the text messages can be read; null with a real gateway. */
  readonly inboxUrl: string | null;
}

/** Returns the configured gateway, or starts the simulator. */
export async function openGateway(config: Config): Promise<{ gateway: Gateway; closeGateway: () => Promise<void> }> {
  if (config.gateway) {
    return { gateway: { ...config.gateway, inboxUrl: null }, closeGateway: () => Promise.resolve() };
  }
  const simulator = await startSimulator(config.variant);
  const { baseUrl, username, password, inboxUrl } = simulator;
  return { gateway: { baseUrl, username, password, inboxUrl }, closeGateway: () => simulator.close() };
}

/** Loads the simulator only here, so that an app with a real gateway does not load it. */
async function startSimulator(variant: Config['variant']): Promise<GatewaySimulator> {
  const { GatewaySimulator } = await import('passport-sms-otp/simulator');
  return GatewaySimulator.start({ variant });
}
