import { afterAll, describe } from '@jest/globals';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { openState } from '../../reliability/support/state';
import {
  SHARED_STATES,
  startServer,
  type StateServer,
} from '../../reliability/support/state-server';
import { describeWithService } from '../../services/describe-with-service';
import { isCompleteRun } from '../../support/complete-run';
import type { TestClock } from '../../support/clock';

/**
 * A store that a threat is tried against. Redis and PostgreSQL have clocks of their own, which no
 * test can move.
 */
export interface OpenStore {
  readonly store: SmsOtpStore;
  readonly close: () => Promise<void>;
}

export interface StoreKind {
  readonly name: string;
  readonly describe: (title: string, tests: () => void) => void;
  /** Opens an empty store. */
  readonly open: (clock: TestClock) => Promise<OpenStore>;
}

/**
 * The store in memory and Redis; in the complete run PostgreSQL, too, for which the contract and the
 * suites of `test/stores` prove in every run that it answers as these do. A store whose server is
 * not installed is left out, with a warning.
 */
export function allStores(): readonly StoreKind[] {
  const memory: StoreKind = {
    name: 'memory',
    describe,
    open: (clock) =>
      Promise.resolve({
        store: memoryStore({ now: () => clock.now() }),
        close: () => Promise.resolve(),
      }),
  };
  const shared = isCompleteRun ? SHARED_STATES : SHARED_STATES.filter((kind) => kind === 'redis');
  return [memory, ...shared.map(sharedStore)];
}

function sharedStore(kind: (typeof SHARED_STATES)[number]): StoreKind {
  let server: StateServer | undefined;
  return {
    name: kind,
    describe: (title, tests) => {
      describeWithService(kind)(title, () => {
        afterAll(() => server?.close());
        tests();
      });
    },
    open: async () => {
      server ??= await startServer(kind);
      await server.empty();
      return openState(server.state);
    },
  };
}
