import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import type { describe } from '@jest/globals';
import { openState } from '../../reliability/support/state';
import { SHARED_STATES, startServer } from '../../reliability/support/state-server';
import { describeWithService } from '../../services/describe-with-service';
import type { TestClock } from '../../support/clock';

/** A store that a threat is tried against. Redis and PostgreSQL have clocks of their own, which no test can move. */
export interface OpenStore {
  readonly store: SmsOtpStore;
  readonly close: () => Promise<void>;
}

export interface StoreKind {
  readonly name: string;
  readonly describe: (title: string, tests: () => void) => void;
  readonly open: (clock: TestClock) => Promise<OpenStore>;
}

/** Every store of the package; the last two are left out, with a warning, where their server is not installed. */
export function allStores(plain: typeof describe): readonly StoreKind[] {
  const shared = SHARED_STATES.map((kind): StoreKind => {
    return {
      name: kind,
      describe: describeWithService(kind),
      open: async () => {
        const server = await startServer(kind);
        const state = await openState(server.state);
        return {
          store: state.store,
          close: async () => {
            await state.close();
            await server.close();
          },
        };
      },
    };
  });
  const memory: StoreKind = {
    name: 'memory',
    describe: plain,
    open: (clock) =>
      Promise.resolve({ store: memoryStore({ now: () => clock.now() }), close: () => Promise.resolve() }),
  };
  return [memory, ...shared];
}
