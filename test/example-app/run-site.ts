import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import { readConfig } from '../../example-app/config';
import { run, type RunningSite } from '../../example-app/start';

type Settings = Readonly<Record<string, string>>;

/** The settings that make a simulator the gateway of the example app. */
export function settingsOf({ baseUrl, username, password }: GatewaySimulator): Settings {
  return {
    SMS_OTP_BASE_URL: baseUrl,
    SMS_OTP_USERNAME: username,
    SMS_OTP_PASSWORD: password,
  };
}

/** The example app as `start.ts` runs it, in this process and on a free port. */
export function runSite(simulator: GatewaySimulator, settings: Settings): Promise<RunningSite> {
  return run(readConfig({ PORT: '0', LOG_LEVEL: 'silent', ...settingsOf(simulator), ...settings }));
}
