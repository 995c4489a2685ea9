import { afterAll, describe } from '@jest/globals';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { openState } from '../../reliability/support/state';
import {
  SHARED_STATES,
  startServer,
  type StateServer,
} from '../../reliability/support/state-server';
import { describeWithService } from '../../services/describe-with-service';
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
 * Every store of the package; the last two are left out, with a warning, where their server is not
 * installed.
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
  return [memory, ...SHARED_STATES.map(sharedStore)];
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
