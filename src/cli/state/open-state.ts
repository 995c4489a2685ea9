import type { SmsOtpStore } from '../../stores/store';
import type { CommandCall } from '../command';
import { UsageError } from '../failures';

/** Where state rests. */
export interface StatePlace {
  readonly url: string;
  /** Drivers are looked for from here. */
  readonly folder: string;
  readonly prefix: string | undefined;
}

/** A store with its connection. */
export interface OpenState {
  readonly place: 'Redis' | 'PostgreSQL';
  readonly store: SmsOtpStore;
  /** What the store has to say about its server; filled a moment after it connects. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens the store of the environment. With both addresses it is PostgreSQL, as in the example app.
 * @throws {UsageError} without an address.
 */
export async function openState({ io, args }: CommandCall): Promise<OpenState> {
  const { REDIS_URL, DATABASE_URL } = io.env;
  const rest = { folder: io.folder, prefix: args.text('prefix') };
  if (DATABASE_URL) {
    return (await import('./open-postgres')).openPostgres({ url: DATABASE_URL, ...rest });
  }
  if (REDIS_URL) return (await import('./open-redis')).openRedis({ url: REDIS_URL, ...rest });
  throw new UsageError('REDIS_URL or DATABASE_URL must be set: the state of a running app is in one of them');
}
