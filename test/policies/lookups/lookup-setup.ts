import {
  memoryStore,
  type NoteStore,
  type PolicyContext,
  type PolicyEvent,
  type SmsOtpStore,
  type VerifiedContext,
} from 'passport-sms-otp';
import { GatewayClient } from 'passport-sms-otp/client';
import { GatewaySimulator, type SimulatorOptions } from 'passport-sms-otp/simulator';
import { guardStore } from '../../../src/stores/guarded-store';
import { testClock, type TestClock } from '../../support/clock';

/** A real client, a simulated gateway and a store: what a policy is asked with. */
export interface LookupSetup {
  readonly sim: GatewaySimulator;
  readonly clock: TestClock;
  readonly events: PolicyEvent[];
  /** Where its notes are kept. */
  readonly store: SmsOtpStore;
  /** Every note that was written, as the store was given it. */
  readonly notes: Map<string, string>;
  readonly context: (changes?: Partial<PolicyContext<unknown>>) => PolicyContext<unknown>;
  /** The same after a right code. */
  readonly verified: (changes?: Partial<VerifiedContext>) => VerifiedContext;
  /** Lookups that reached the gateway. */
  readonly lookups: () => number;
  readonly close: () => Promise<void>;
}

export const MOBILE = '+12025550123';

export async function startLookups(
  simulator: SimulatorOptions = {},
  client: object = {},
): Promise<LookupSetup> {
  const sim = await GatewaySimulator.start(simulator);
  const { baseUrl, variant, username, password } = sim;
  const clock = testClock();
  const gateway = new GatewayClient({ baseUrl, variant, username, password, ...client });
  const store = memoryStore({ now: () => clock.now() });
  const { notes: kept } = guardStore(store, () => clock.now());
  const events: PolicyEvent[] = [];
  const notes = new Map<string, string>();
  const tools = {
    gateway,
    counters: store.counters,
    notes: watchNotes(kept, notes),
    now: () => clock.now(),
    emit: (event: PolicyEvent) => events.push(event),
  };
  const about = (mobile: string): Pick<PolicyContext, 'mobile' | 'numberKey' | 'prefixKey'> => {
    return {
      mobile,
      numberKey: `number of ${mobile}`,
      prefixKey: `prefix of ${mobile.slice(0, -4)}`,
    };
  };
  return {
    ...{ sim, clock, events, store, notes },
    context: ({ mobile = MOBILE, ...changes } = {}) => ({
      ...{
        stage: 'enroll',
        user: {},
        userId: 'alice',
        purpose: 'enroll',
        address: undefined,
        provenKeys: [],
      },
      ...tools,
      ...about(mobile),
      ...changes,
    }),
    verified: ({ mobile = MOBILE, ...changes } = {}) => ({
      ...{ userId: 'alice', purpose: 'login', isNewNumber: false, sentAt: clock.now(), sends: 1 },
      ...tools,
      ...about(mobile),
      ...changes,
    }),
    lookups: () => sim.stats().calls.lookup,
    close: async () => {
      await gateway.close();
      await sim.close();
    },
  };
}

function watchNotes(notes: NoteStore, seen: Map<string, string>): NoteStore {
  return {
    read: (key) => notes.read(key),
    write: (key, text, ttlSeconds) => {
      seen.set(key, text);
      return notes.write(key, text, ttlSeconds);
    },
    remove: (key) => {
      seen.delete(key);
      return notes.remove(key);
    },
  };
}
