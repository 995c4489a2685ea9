import { readFields, StoreError } from '../../errors';
import { type PostgresPool, runMigration } from './run-query';
import { schemaParts, type SchemaPart } from './schema';

/**
 * Brings the schema to the form of this release. First it looks what is missing: if nothing is, it
 * needs no lock and no right. Each missing part is created by its own statement, so that no two
 * locks are held at once.
 * @throws {StoreError} `ERR_STORE` if the database refuses, or a table still has another form.
 */
export async function migrate(pool: PostgresPool, prefix: string): Promise<void> {
  const parts = schemaParts(prefix);
  const look = () => runMigration(() => findMissing(pool, parts));
  for (const { sql } of await look())
    if (sql !== undefined) await runMigration(() => pool.query(sql));

  const [missing] = await look();
  if (missing !== undefined)
    throw new StoreError(`migrate: ${missing.name} is missing or has another type`);
}

/**
 * Returns a check that rejects while a part of the schema is missing or has another form. Once it
 * has passed, the server is not asked again.
 */
export function createSchemaGuard(
  pool: PostgresPool,
  prefix: string,
): (operation: string) => Promise<void> {
  const parts = schemaParts(prefix).filter(({ isIndex }) => isIndex !== true);
  let isRight = false;
  let asking: Promise<readonly SchemaPart[]> | undefined;

  return async (operation) => {
    if (isRight) return;
    asking ??= findMissing(pool, parts).finally(() => (asking = undefined));
    if ((await asking).length > 0) throw new StoreError(`${operation}: ${OTHER_SCHEMA}`);
    isRight = true;
  };
}

/** Our words for a schema that is not that of this release. */
const OTHER_SCHEMA = 'tables are missing or of another release';

async function findMissing(
  pool: PostgresPool,
  parts: readonly SchemaPart[],
): Promise<readonly SchemaPart[]> {
  const rows = parts.map(({ name, isThere }) => `('${name}', ${isThere})`);
  const text = `
SELECT name AS missing FROM (VALUES
${rows.join(',\n')}
) AS parts (name, is_there) WHERE NOT is_there`;

  const result = await pool.query(text);
  const names = new Set(result.rows.map((row) => readFields(row).missing));
  return parts.filter(({ name }) => names.has(name));
}
