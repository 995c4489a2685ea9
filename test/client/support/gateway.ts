import {
  GatewayClient,
  type GatewayClientOptions,
  type GatewayEvent,
} from 'passport-sms-otp/client';
import { GatewaySimulator, type SimulatorOptions } from 'passport-sms-otp/simulator';
import type { AdmittedCalls } from '../../../src/client/calls';
import { testClock, type TestClock } from '../../support/clock';
import { closeLater } from './cleanup';

export const MOBILE = '+12025550123';

/** A simulator and a client for it, with the client's clock in the test's hand. */
export interface Gateway {
  readonly simulator: GatewaySimulator;
  readonly client: GatewayClient;
  readonly events: GatewayEvent[];
  readonly clock: TestClock;
}

export async function startGateway(
  variant: 'A' | 'B',
  options: Partial<GatewayClientOptions> = {},
  simulatorOptions: SimulatorOptions = {},
): Promise<Gateway> {
  const simulator = await startSimulator({ variant, ...simulatorOptions });
  return { simulator, ...startClient(simulator, options) };
}

export async function startSimulator(options: SimulatorOptions): Promise<GatewaySimulator> {
  const simulator = await GatewaySimulator.start(options);
  closeLater(() => simulator.close());
  return simulator;
}

export function startClient(
  { baseUrl, username, password, variant }: GatewaySimulator,
  options: Partial<GatewayClientOptions> = {},
): Omit<Gateway, 'simulator'> {
  const events: GatewayEvent[] = [];
  const clock = testClock();
  const client = new GatewayClient({
    baseUrl,
    username,
    password,
    variant,
    now: () => clock.now(),
    onEvent: (event) => events.push(event),
    ...options,
  });
  closeLater(() => client.close(0));
  return { client, events, clock };
}

/** The calls of a client with a permit, as a login makes them. */
export function admitted({ otp }: GatewayClient): AdmittedCalls {
  return otp;
}

/** A whole login: text and code. */
export async function logIn({
  client,
  simulator,
}: Pick<Gateway, 'client' | 'simulator'>): Promise<void> {
  const { id } = await client.otp.generate({ mobile: MOBILE });
  await client.otp.validate({ id, mobile: MOBILE, pin: pinOf(simulator) });
}

export function pinOf(simulator: GatewaySimulator): string {
  const pin = simulator.lastPin(MOBILE);
  if (pin === undefined) throw new Error('no pin was sent');
  return pin;
}

/** The events of one type. */
export function ofType<Type extends GatewayEvent['type']>(
  events: readonly GatewayEvent[],
  type: Type,
): Extract<GatewayEvent, { type: Type }>[] {
  // The filter keeps those of the type asked for.
  return events.filter((event) => event.type === type) as Extract<GatewayEvent, { type: Type }>[];
}

/** What a promise is rejected with. */
export async function errorOf(promise: Promise<unknown>): Promise<Error> {
  const thrown = await promise.then(
    () => 'nothing',
    (error: unknown) => error,
  );
  if (thrown instanceof Error) return thrown;
  throw new Error('nothing was thrown, or no error');
}

/** Waits for a condition, at most 5 s. */
export async function until(isMet: () => boolean): Promise<void> {
  for (const endsAt = Date.now() + 5_000; !isMet();) {
    if (Date.now() > endsAt) throw new Error('the condition did not come true');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
