import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import type { Config } from './config';

/** Where the gateway is, be it a real one or the simulator. Plain data, so that workers can be told. */
export interface Gateway {
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  /** Where the text messages can be read; null with a real gateway. */
  readonly inboxUrl: string | null;
}

/** The gateway that is named, or the simulator, started here. */
export async function openGateway(
  config: Config,
): Promise<{ gateway: Gateway; closeGateway: () => Promise<void> }> {
  if (config.gateway) {
    return { gateway: { ...config.gateway, inboxUrl: null }, closeGateway: () => Promise.resolve() };
  }
  const simulator = await startSimulator(config.variant);
  const { baseUrl, username, password, inboxUrl } = simulator;
  return { gateway: { baseUrl, username, password, inboxUrl }, closeGateway: () => simulator.close() };
}

/** Loaded here, so that an app with a real gateway holds no simulator. */
async function startSimulator(variant: Config['variant']): Promise<GatewaySimulator> {
  const { GatewaySimulator } = await import('passport-sms-otp/simulator');
  return GatewaySimulator.start({ variant });
}
