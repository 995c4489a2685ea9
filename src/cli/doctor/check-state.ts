import { guardStore } from '../../stores/guarded-store';
import type { CommandCall } from '../command';
import { openPostgres, openRedis, type OpenState, type StatePlace } from '../state/open-state';
import { fail, type Finding, pass, toFinding, warn } from './check-result';

/** A counter that nobody has, only read. */
const PROBE = { key: 'doctor', windowSeconds: null, isOnlyRead: true };

/** The store asks the server three things about its settings, one after the other; as many questions of ours later they are answered. */
const QUESTIONS = 4;

/** Looks at Redis and PostgreSQL where the environment names them. Nothing is written. */
export async function* checkState({ io, args }: CommandCall): AsyncGenerator<Finding> {
  const { REDIS_URL, DATABASE_URL } = io.env;
  const rest = { folder: io.folder, prefix: args.text('prefix') };
  if (REDIS_URL) yield await check('redis', openRedis, { url: REDIS_URL, ...rest });
  if (DATABASE_URL) yield await check('postgres', openPostgres, { url: DATABASE_URL, ...rest });
}

async function check(
  name: 'redis' | 'postgres',
  open: (place: StatePlace) => Promise<OpenState>,
  place: StatePlace,
): Promise<Finding> {
  let state: OpenState;
  try {
    state = await open(place);
  } catch (error) {
    return toFinding(name, error);
  }
  try {
    const { counters } = guardStore(state.store);
    for (let question = 0; question < QUESTIONS; question += 1) await counters.charge([PROBE]);
    return judge(name, state.warnings);
  } catch (error) {
    return name === 'redis' ? toFinding(name, error) : toMissingTables(error);
  } finally {
    await state.close();
  }
}

function judge(name: string, warnings: readonly string[]): Finding {
  const [first] = warnings;
  if (first === undefined) return pass(name, 'the store works');
  // "What is wrong. What to do."
  const end = first.lastIndexOf('. ');
  return warn(name, first.slice(0, end), first.slice(end + 2));
}

/** The connection works already, so what is missing is what the store brings. */
function toMissingTables(error: unknown): Finding {
  const { detail } = toFinding('postgres', error);
  return fail(
    'postgres',
    detail,
    'Create the tables with store.migrate() or docs/postgres.sql, and look at the prefix.',
  );
}
