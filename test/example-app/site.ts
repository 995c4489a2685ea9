import type { Express } from 'express';
import type { Store } from 'express-session';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { createApp } from '../../example-app/app';
import { readConfig } from '../../example-app/config';
import type { Log } from '../../example-app/log';
import { openUsers } from '../../example-app/users';
import { testClock, type TestClock } from '../support/clock';
import { createStage, renew, share, type Stage, type Starter } from '../support/stage';

/** The example app against the simulator, both on one clock that stands still until it is moved. */
export interface Site extends TestClock {
  readonly app: Express;
  readonly simulator: GatewaySimulator;
  close(): Promise<void>;
}

/** A site that a test may start anew, with other options. */
export type SiteOfTest = Site & Starter<Site, SiteOptions>;

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
  const clock = testClock();
  const { now } = clock;
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
    ...clock,
    app,
    simulator,
    async close() {
      await smsOtp.close();
      await simulator.close();
    },
  };
}

/** A site for each test of a block, started before it and closed after it. */
export function useSite(given?: SiteOptions): SiteOfTest {
  return renew(stageOf(given));
}

/** One site for all tests of a block. */
export function useSharedSite(given?: SiteOptions): Site {
  return share(stageOf(given));
}

function stageOf(block?: SiteOptions): Stage<Site, SiteOptions> {
  return createStage((given) => startSite({ ...block, ...given }));
}
