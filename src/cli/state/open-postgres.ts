import { toSafeCause } from '../../errors';
import { postgresStore } from '../../stores/postgres-store';
import { blameUsage, CommandFailure } from '../failures';
import { checkAddress } from './check-address';
import { loadPostgres, type PostgresConnection } from './drivers';
import type { OpenState, StatePlace } from './open-state';

const CONNECT_TIMEOUT_MS = 3_000;

/** @throws {CommandFailure} when the database cannot be reached or refuses. */
export async function openPostgres({ url, folder, prefix }: StatePlace): Promise<OpenState> {
  checkAddress(
    url,
    ['postgres:', 'postgresql:'],
    new CommandFailure(
      'DATABASE_URL is not an address of PostgreSQL.',
      'Write postgres://user@host:5432/database.',
    ),
  );
  const { Pool } = loadPostgres(folder);
  const pool = createPool(Pool, url);
  // Without a listener a lost connection would end the process.
  pool.on('error', () => undefined);
  try {
    const store = await blameUsage(() => postgresStore(pool, prefix === undefined ? {} : { prefix }));
    await pool.query('SELECT 1').catch((error: unknown) => {
      throw toFailure(error);
    });
    return { place: 'PostgreSQL', store, warnings: [], close: () => pool.end() };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

function createPool(Pool: new (options: unknown) => PostgresConnection, url: string): PostgresConnection {
  return new Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    max: 1,
  });
}

function toFailure(error: unknown): CommandFailure {
  const { code } = toSafeCause(error);
  return new CommandFailure(
    `PostgreSQL cannot be used${code === null ? '' : ` (${code})`}.`,
    code === null
      ? 'Look at user name, password and database in DATABASE_URL.'
      : 'Look at DATABASE_URL, and whether the server runs.',
  );
}
