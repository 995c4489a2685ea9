import { GatewaySimulator, type SimulatorOptions } from 'passport-sms-otp/simulator';
import { closeLater } from '../../client/support/cleanup';

export const MOBILE = '+12025550123';

/** A password that would be noticed in any output. */
export const PASSWORD = 'pass-phrase-of-the-account';

export type Environment = Readonly<Record<string, string>>;

/** A simulator, and the environment that names it. */
export interface Account {
  readonly simulator: GatewaySimulator;
  readonly env: Environment;
}

export async function openAccount(options: SimulatorOptions = {}): Promise<Account> {
  const simulator = await GatewaySimulator.start({ password: PASSWORD, ...options });
  closeLater(() => simulator.close());
  return { simulator, env: environmentOf(simulator.baseUrl, simulator.variant) };
}

export function environmentOf(baseUrl: string, variant: 'A' | 'B'): Environment {
  return {
    SMS_OTP_BASE_URL: baseUrl,
    SMS_OTP_VARIANT: variant,
    SMS_OTP_USERNAME: 'demo',
    SMS_OTP_PASSWORD: PASSWORD,
  };
}
