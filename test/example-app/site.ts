import type { Express } from 'express';
import type { Store } from 'express-session';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { createApp } from '../../example-app/app';
import { readConfig } from '../../example-app/config';
import type { Log } from '../../example-app/log';
import { openUsers } from '../../example-app/users';

/** The example app against the simulator, both on one clock that stands still until it is moved. */
export interface Site {
  readonly app: Express;
  readonly simulator: GatewaySimulator;
  advanceSeconds(seconds: number): void;
  close(): Promise<void>;
}

export const ALICE_PHONE = '+12025550123';
export const BOB_PHONE = '+12025550124';

export interface SiteOptions {
  readonly variant?: 'A' | 'B';
  readonly environment?: Readonly<Record<string, string>>;
  readonly sessionStore?: Store;
  readonly log?: Log;
}

export async function startSite({
  variant = 'A',
  environment = {},
  sessionStore,
  log,
}: SiteOptions = {}): Promise<Site> {
  let nowMs = Date.now();
  const now = (): number => nowMs;
  const simulator = await GatewaySimulator.start({ variant, now });
  const { baseUrl, username, password, inboxUrl } = simulator;
  const config = readConfig(environment);
  const { app, smsOtp } = createApp(config, {
    gateway: { baseUrl, variant, username, password },
    inboxUrl,
    // The demo users are refused in production.
    users: await openUsers({ ...config, isProduction: false }),
    now,
    sessionStore,
    log,
  });
  return {
    app,
    simulator,
    advanceSeconds(seconds) {
      nowMs += seconds * 1000;
    },
    async close() {
      await smsOtp.close();
      await simulator.close();
    },
  };
}
