import type { SmsOtpOptions } from 'passport-sms-otp';
import type { GatewayClientOptions } from 'passport-sms-otp/client';
import { GatewaySimulator, type SimulatorOptions } from 'passport-sms-otp/simulator';
import type { Agent } from 'undici';
import { people } from '../../support/people';
import type { TestUser } from '../../support/test-users';
import { startApp, type AppSettings, type RunningApp } from './app';
import { Browser, openNetwork } from './browser';
import { openEverywhere, type Host, type HostedApp } from './host';
import { joinReports, reportOf, type Report } from './report';
import { openState, type State, type StateSettings } from './state';
import { Witness } from './witness';

export interface SceneSettings {
  readonly state: StateSettings;
  /** The processes of the app. None: it runs in this one. */
  readonly hosts?: readonly Host[];
  readonly variant?: 'A' | 'B';
  /** Users of the app. Default 100. */
  readonly people?: number;
  readonly gateway?: Partial<GatewayClientOptions>;
  readonly options?: Partial<SmsOtpOptions>;
  readonly dailyBudget?: AppSettings['dailyBudget'];
  readonly simulator?: SimulatorOptions;
  /** Connections to each process at once. */
  readonly connections?: number;
  /** Events and errors that each process keeps. Default: all. */
  readonly mostRecords?: number;
}

/** A gateway with its witness, an app in one process or many, and people who use it. */
export interface Scene {
  readonly simulator: GatewaySimulator;
  readonly witness: Witness;
  readonly users: readonly TestUser[];
  /** How the app reaches the gateway. */
  readonly gateway: GatewayClientOptions;
  /** Where the processes of the app listen. */
  readonly urls: readonly string[];
  /** The app, where it runs in this process. */
  readonly local: RunningApp | undefined;
  /** A new browser. @param address what proxies say of where it is. */
  readonly browser: (address?: string) => Browser;
  /** What all processes together tell. */
  readonly report: () => Promise<Report>;
  /** The OTP ids of those who came in without the gateway's yes. */
  readonly findUnproven: () => Promise<string[]>;
  readonly close: () => Promise<void>;
}

/** Everything comes from one address here, and from no proxy. */
const ROOMY: NonNullable<SmsOtpOptions['limits']> = {
  perAddress: { max: 100_000, maxUnproven: 100_000 },
  total: { max: 10_000_000 },
};

export async function startScene(settings: SceneSettings): Promise<Scene> {
  const { state: stateSettings, hosts = [], variant = 'A', people: count = 100 } = settings;
  const simulator = await GatewaySimulator.start({
    variant,
    balance: '1000000',
    ...settings.simulator,
  });
  const { baseUrl, username, password } = simulator;
  const gateway = { baseUrl, variant, username, password, ...settings.gateway };
  const limits = { ...ROOMY, ...settings.options?.limits };
  const options = { ...settings.options, limits };
  const { dailyBudget, mostRecords } = settings;
  const appSettings = { gateway, people: count, options, dailyBudget, mostRecords };
  const state = hosts.length === 0 ? await openState(stateSettings) : undefined;
  const local = state === undefined ? undefined : await startApp(appSettings, state);
  const apps = await openEverywhere(hosts, { ...appSettings, state: stateSettings });
  const witness = new Witness(simulator);
  const network = openNetwork(settings.connections);
  const report = async (): Promise<Report> => {
    const reports = await Promise.all(apps.map((app) => app.report()));
    return joinReports(local === undefined ? reports : [{ ...reportOf(local), unhandled: [] }]);
  };
  const users = people(count);
  const phones = new Map(users.map(({ id, phone }) => [id, phone]));
  return {
    simulator,
    witness,
    gateway,
    local,
    users,
    urls: local === undefined ? apps.map(({ url }) => url) : [local.url],
    browser: (address) => new Browser(network, address),
    report,
    findUnproven: async () => {
      const { passes } = await report();
      witness.readOutbox();
      return passes
        .filter((pass) => !witness.proves(pass, phones.get(pass.userId)))
        .map(({ otpId }) => otpId);
    },
    close: () => closeAll(network, apps, local, state, simulator, witness),
  };
}

async function closeAll(
  network: Agent,
  apps: readonly HostedApp[],
  local: RunningApp | undefined,
  state: State | undefined,
  simulator: GatewaySimulator,
  witness: Witness,
): Promise<void> {
  await network.destroy();
  await local?.close();
  await state?.close();
  // A process that a test has killed has nothing left to close.
  await Promise.all(apps.map((app) => app.close().catch(() => undefined)));
  witness.close();
  await simulator.close();
}
