import { isObject, readFields, StoreError } from '../../errors';
import { parseJson } from '../check-values';
import type { FinishResult, SmsOtpStore, RecordPut } from '../store';
import { chargeSteps, toChargeValues } from './postgres-counters';
import { hasOtp, IS_ACTIVE } from './postgres-pending-logins';
import { readRecord, RECORD_AS_JSON, toPutResult } from './postgres-records';
import { RECORD_CODE, type RunQuery } from './run-query';
import { type Functions, NOW, type Tables } from './tables';
import { DEADLINE, TIME_LEFT, WITHIN_TIME } from './time-left';

export function postgresFinish(run: RunQuery, functions: Functions): SmsOtpStore['finish'] {
  const text = `
SELECT ${functions.finish}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)::text AS finished`;

  return async (pendingId, options) => {
    const { otpId, acceptsPassed = false, leavesMark, clears, charges, puts, replaces } = options;
    const { kind = null, owner = null, id = null } = replaces ?? {};
    const login = [pendingId, otpId ?? null, acceptsPassed, leavesMark, kind, owner, id];
    const [columns, keys] = toChargeValues(charges, false);
    const changes = [clears, columns, keys, JSON.stringify(puts.map(toPutArguments)), TIME_LEFT];

    const [row] = await run('finish', text, [...login, ...changes]);
    return row?.finished === null ? { isFinished: false } : toFinished(puts, row?.finished);
  };
}

/** @throws {StoreError} `ERR_STORE` if the answer is not that of a finish. */
function toFinished(puts: readonly RecordPut[], answer: unknown): FinishResult {
  const { results, replaced } = readFields(parseJson(answer));
  if (!Array.isArray(results) || results.length !== puts.length)
    throw new StoreError('finish: unknown answer');

  return {
    isFinished: true,
    results: results.map((one) => toPutResult('finish', one)),
    replaced: isObject(replaced) ? readRecord(replaced) : null,
  };
}

/** Returns the fields of a put that the function reads. */
function toPutArguments(put: RecordPut) {
  const { kind, owner, ttlSeconds, most } = put;
  const { id, tag, rank, value } = put.record;
  const when = { ifNone: put.ifNone === true, ifTag: put.ifTag };
  return { kind, owner, id, tag, rank, value, ttlSeconds, most, ...when };
}

/**
 * Returns the SQL of the function that ends a pending login and makes all changes of a success. The
 * function returns the results of the puts and the replaced record, or null if it changed nothing.
 *
 * It checks its conditions under locks before it changes anything else: of several callers, one
 * continues after the first statement. Every call locks in the same order, so that no two wait for
 * each other: the pending login, turns by kind and owner, records, counters by key. An error undoes
 * everything.
 */
export function finishFunctionSql(tables: Tables, functions: Functions): string {
  const { pendingLogin, counter } = tables;
  const { checkTime } = functions;

  return `CREATE OR REPLACE FUNCTION ${functions.finish}(
  given_id text, given_otp_id text, accepts_passed boolean, leaves_mark boolean,
  replaced_kind text, replaced_owner text, replaced_id text,
  cleared_keys text[], charges jsonb, charged_keys text[], puts jsonb,
  time_left_ms double precision
) RETURNS jsonb ${WITHIN_TIME} AS $body$
DECLARE
  ${DEADLINE}
  put record;
  results jsonb := '[]';
  replaced jsonb;
  counter_problem text;
  found_keys text[];
BEGIN
  PERFORM ${checkTime}(deadline);
  ${conditionsSql(tables, functions)}
  PERFORM ${checkTime}(deadline);

  IF leaves_mark THEN
    UPDATE ${pendingLogin} SET has_passed = true, value = '', otps = '[]', attempts = '{}'
    WHERE pending_id = given_id;
  ELSE
    DELETE FROM ${pendingLogin} WHERE pending_id = given_id;
  END IF;

  ${changeCountersSql(counter)}
  IF counter_problem IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = '${RECORD_CODE}', MESSAGE = counter_problem;
  END IF;

  FOR put IN
    SELECT * FROM jsonb_to_recordset(puts) AS given (
      kind text, owner text, id text, tag text, rank double precision, value text,
      "ttlSeconds" double precision, most bigint, "ifNone" boolean)
  LOOP
    results := results || ${functions.putRecord}(put.kind, put.owner, put.id, put.tag, put.rank,
      put.value, put."ttlSeconds", put.most, put."ifNone", time_left_ms);
  END LOOP;
  PERFORM ${checkTime}(deadline);
  RETURN jsonb_build_object('results', results, 'replaced', replaced);
END $body$;
`;
}

/**
 * Returns the SQL that returns null unless the login and its OTP exist, every record has the tag
 * that its put requires, and the record to replace exists.
 */
function conditionsSql(tables: Tables, functions: Functions): string {
  const { takeTurn, checkTime } = functions;

  return `PERFORM FROM ${tables.pendingLogin}
  WHERE pending_id = given_id
    AND (${IS_ACTIVE} OR (accepts_passed AND has_passed AND expires_at > ${NOW}))
    AND (given_otp_id IS NULL OR ${hasOtp('given_otp_id')})
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;

  PERFORM ${checkTime}(deadline);
  PERFORM ${takeTurn}(kind, owner) FROM (
    SELECT replaced_kind AS kind, replaced_owner AS owner WHERE replaced_id IS NOT NULL
    UNION SELECT kind, owner FROM jsonb_to_recordset(puts) AS given (kind text, owner text)
    ORDER BY kind, owner
  ) AS turns;
  FOR put IN
    SELECT * FROM jsonb_to_recordset(puts) AS given (
      kind text, owner text, id text, "ifTag" text)
    WHERE "ifTag" IS NOT NULL
  LOOP
    PERFORM FROM ${tables.record}
    WHERE kind = put.kind AND owner = put.owner AND id = put.id AND tag = put."ifTag"
      AND expires_at > ${NOW}
    FOR UPDATE;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END LOOP;
  IF replaced_id IS NOT NULL THEN
    DELETE FROM ${tables.record}
    WHERE kind = replaced_kind AND owner = replaced_owner AND id = replaced_id
      AND expires_at > ${NOW}
    RETURNING ${RECORD_AS_JSON} INTO replaced;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END IF;`;
}

/**
 * Returns the SQL that charges counters, then clears others that the charge has locked, and reports
 * a counter that is malformed.
 */
function changeCountersSql(counter: string): string {
  const asked = {
    columns: 'charges',
    keys: '(cleared_keys || charged_keys)',
    exempting: `'{}'`,
  };

  return `${chargeSteps(counter, asked)}
  SELECT verdict.problem, (SELECT array_agg(key) FROM found WHERE key = ANY(cleared_keys))
    INTO counter_problem, found_keys FROM verdict;
  DELETE FROM ${counter} WHERE key = ANY(found_keys);`;
}
