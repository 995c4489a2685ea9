import { finishFunctionSql } from './postgres-finish';
import { pendingLoginFunctionsSql } from './postgres-pending-logins';
import { recordFunctionsSql } from './postgres-records';
import { functionsOf, type Tables, tablesOf } from './tables';

/**
 * Returns the SQL that `migrate()` runs, for apps that keep their schema in their own files. It
 * changes nothing that is already correct.
 *
 * @param prefix The beginning of the table names.
 * @throws {TypeError} if the prefix is not 1 to 40 lowercase letters, digits and underscores.
 */
export function schemaSql(prefix = 'sms_otp'): string {
  const statements = schemaParts(prefix).flatMap(({ sql }) => sql ?? []);
  return `${statements.join('\n').trimStart()}\n`;
}

/** A table, column, index or function. */
export interface SchemaPart {
  readonly name: string;
  /** The SQL of a condition: whether the part exists in the form of this release. */
  readonly isThere: string;
  /** The statement that creates it. Left out for a part that comes with its table. */
  readonly sql?: string;
  /** True for an index, which makes calls faster but is not required. */
  readonly isIndex?: boolean;
}

/** Returns everything that a store uses, in the order of creation. */
export function schemaParts(prefix: string): readonly SchemaPart[] {
  const [tables, functions] = [tablesOf(prefix), functionsOf(prefix)];
  const sources = [
    ...recordFunctionsSql(tables, functions),
    ...pendingLoginFunctionsSql(tables, functions),
    finishFunctionSql(tables, functions),
  ];
  return [...tablesOfSchema(tables).flatMap(toTableParts), ...sources.map(toFunctionPart)];
}

interface Table {
  readonly name: string;
  /** The definitions of columns by name. */
  readonly columns: Readonly<Record<string, string>>;
  readonly primaryKey?: string;
  /** Columns that a table of an earlier release lacks. */
  readonly added?: readonly string[];
  /** The indexed columns, by the end of the index's name. */
  readonly indexes: Readonly<Record<string, string>>;
  readonly isUpdatedInPlace?: boolean;
}

/**
 * Compared byte by byte, whatever the database's locale, because records are listed in this order.
 */
const ID = 'text COLLATE "C" NOT NULL';

const EXPIRY = { expiry: 'expires_at' };

function tablesOfSchema(names: Tables): readonly Table[] {
  return [
    counterTable(names.counter),
    tokenTable(names.token),
    pendingLoginTable(names.pendingLogin),
    recordTable(names.record),
    turnTable(names.turn),
  ];
}

function counterTable(name: string): Table {
  const columns = {
    key: 'text PRIMARY KEY',
    version: 'integer NOT NULL DEFAULT 1',
    count: 'bigint NOT NULL',
    reset_at: 'timestamptz',
    locked_until: 'timestamptz',
    locked_by: 'bigint NOT NULL DEFAULT 0',
    generation: 'bigint NOT NULL DEFAULT 0',
  };

  const indexes = { expiry: 'GREATEST(reset_at, locked_until)' };
  return { name, columns, added: ['locked_by', 'generation'], indexes, isUpdatedInPlace: true };
}

function tokenTable(name: string): Table {
  const columns = {
    account: 'text PRIMARY KEY',
    version: 'integer NOT NULL DEFAULT 1',
    fence: 'bigint NOT NULL',
    owner: 'text',
    lease_until: 'timestamptz NOT NULL',
    token_fence: 'bigint',
    sealed: 'text',
    token_until: 'timestamptz',
  };

  return { name, columns, indexes: {} };
}

function pendingLoginTable(name: string): Table {
  const columns = {
    pending_id: 'text COLLATE "C" PRIMARY KEY',
    user_id: ID,
    place: ID,
    side: ID,
    block: ID,
    sender: 'text COLLATE "C"',
    series: 'text COLLATE "C"',
    value: 'text NOT NULL',
    sends: 'integer NOT NULL',
    otps: 'jsonb NOT NULL',
    attempts: 'jsonb',
    has_passed: 'boolean NOT NULL',
    began_at: 'timestamptz NOT NULL',
    expires_at: 'timestamptz NOT NULL',
  };

  return { name, columns, indexes: { user: 'user_id', ...EXPIRY }, isUpdatedInPlace: true };
}

function recordTable(name: string): Table {
  const columns = {
    kind: ID,
    owner: ID,
    id: ID,
    tag: ID,
    rank: 'double precision NOT NULL',
    value: 'text NOT NULL',
    expires_at: 'timestamptz NOT NULL',
  };

  return { name, columns, primaryKey: 'kind, owner, id', indexes: EXPIRY };
}

function turnTable(name: string): Table {
  const columns = {
    kind: ID,
    owner: ID,
    turn: 'bigint NOT NULL',
    expires_at: 'timestamptz NOT NULL',
  };

  return { name, columns, primaryKey: 'kind, owner', indexes: EXPIRY, isUpdatedInPlace: true };
}

function toTableParts(table: Table): readonly SchemaPart[] {
  const { name, columns, indexes, added = [] } = table;

  const columnParts = Object.entries(columns).map(([column, definition]) => ({
    name: `${name}.${column}`,
    isThere: hasColumn(name, column, definition),
    ...(added.includes(column) && {
      sql: `ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS ${column} ${definition};`,
    }),
  }));

  const indexParts = Object.entries(indexes).map(([end, expression]) => ({
    name: `${name}_${end}`,
    isThere: `to_regclass('${name}_${end}') IS NOT NULL`,
    sql: `CREATE INDEX IF NOT EXISTS ${name}_${end} ON ${name} (${expression});`,
    isIndex: true,
  }));

  const isThere = `to_regclass('${name}') IS NOT NULL`;
  return [{ name, isThere, sql: toTableSql(table) }, ...columnParts, ...indexParts];
}

function toTableSql(table: Table): string {
  const lines = Object.entries(table.columns).map(([name, definition]) => `${name} ${definition}`);
  if (table.primaryKey !== undefined) lines.push(`PRIMARY KEY (${table.primaryKey})`);

  const storage = table.isUpdatedInPlace === true ? ' WITH (fillfactor = 80)' : '';
  return `
CREATE TABLE IF NOT EXISTS ${table.name} (
  ${lines.join(',\n  ')}
)${storage};`;
}

function hasColumn(table: string, column: string, definition: string): string {
  const type = definition.replace(/ (?:COLLATE|NOT|PRIMARY|DEFAULT)\b.*/, '');
  return `EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('${table}')
    AND attname = '${column}' AND NOT attisdropped AND atttypid = to_regtype('${type}'))`;
}

/**
 * Returns the part for a function. A function is identified by its name and parameters, so one with
 * another effect needs another name.
 */
function toFunctionPart(sql: string): SchemaPart {
  const head = /FUNCTION (?<name>\w+)\((?<parameters>[^)]*)\)/.exec(sql)?.groups;
  const { name = '', parameters = '' } = head ?? {};
  const types = parameters.split(',').map((parameter) => parameter.trim().replace(/^\w+ /, ''));

  return {
    name,
    isThere: `to_regprocedure('${name}(${types.join(', ')})') IS NOT NULL`,
    sql: `\n${sql.trim()}`,
  };
}
