import { guardStore } from '../../stores/guarded-store';
import type { CommandCall } from '../command';
import { openPostgres, openRedis, type OpenState } from '../open-state';
import { type CheckResult, fail, notTested, pass, toResult, warn } from './check-result';

/** A counter that does not exist; it is only read. */
const PROBE = { key: 'doctor', windowSeconds: null, isOnlyRead: true };

/** The store reads three settings of the server, one after the other; after this many reads of ours it has its answers. */
const READS = 4;

/** Checks Redis and PostgreSQL if the environment has their addresses. Nothing is written. */
export async function* checkState(call: CommandCall): AsyncGenerator<CheckResult> {
  const { REDIS_URL, DATABASE_URL } = call.io.env;
  if (REDIS_URL) yield await check('redis', () => openRedis(call, REDIS_URL));
  if (DATABASE_URL) yield await check('postgres', () => openPostgres(call, DATABASE_URL));
  if (!REDIS_URL && !DATABASE_URL) yield notTested('store', 'REDIS_URL and DATABASE_URL are not set');
}

async function check(name: 'redis' | 'postgres', open: () => Promise<OpenState>): Promise<CheckResult> {
  let state: OpenState;
  try {
    state = await open();
  } catch (error) {
    return toResult(name, error);
  }
  try {
    const { counters } = guardStore(state.store);
    for (let read = 0; read < READS; read += 1) await counters.charge([PROBE]);
    return toStoreResult(name, state.warnings);
  } catch (error) {
    return name === 'redis' ? toResult(name, error) : toMissingTables(error);
  } finally {
    await state.close();
  }
}

function toStoreResult(name: string, warnings: readonly string[]): CheckResult {
  const [first] = warnings;
  if (first === undefined) return pass(name, 'the store works');
  // Warnings read "What is wrong. What to do."
  const end = first.lastIndexOf('. ');
  return warn(name, first.slice(0, end), first.slice(end + 2));
}

/** The connection works, so the tables of the store are missing. */
function toMissingTables(error: unknown): CheckResult {
  const { detail } = toResult('postgres', error);
  return fail(
    'postgres',
    detail,
    'Create the tables with store.migrate() or docs/postgres.sql, and check the prefix.',
  );
}
