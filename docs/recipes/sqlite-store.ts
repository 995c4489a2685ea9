import { setTimeout as wait } from 'node:timers/promises';
import type * as contract from 'passport-sms-otp';
import { connect, type SqliteDatabase } from './sqlite-database';

const MOST = Number.MAX_SAFE_INTEGER;
const LEASE_SECONDS = 15;
const POLL_MS = 50;
/** The life of a counter without window, from its last charge: 400 days. */
const LONG_LIFE_SECONDS = 400 * 86_400;

/** A pending login, its OTPs as JSON. */
interface Row extends Omit<contract.ActivePendingLogin, 'otps'> {
  readonly otps: string;
}
interface Id {
  readonly pendingId: string;
}
/** What is stored for a counter. */
type Tally = typeof NOT_BEGUN;
const NOT_BEGUN = { generation: 0, count: 0, resetAt: 0, lockedUntil: 0, lockedBy: 0 };

/** Creates a store on a SQLite file, which all processes of one machine may share. */
export function sqliteStore(database: SqliteDatabase, now = Date.now): contract.SmsOtpStore {
  const { sql, atomic } = connect(database, now);
  const after = (seconds: number): number => now() + seconds * 1000;
  const secondsUntil = (time: number): number => Math.max(0, Math.ceil((time - now()) / 1000));

  function findActive(id: string): contract.ActivePendingLogin | undefined {
    const [login] = sql`SELECT userId, value, sends, otps FROM login
      WHERE pendingId = ${id} AND NOT hasPassed` as Row[];
    return login && { ...login, otps: JSON.parse(login.otps) as contract.AttachedOtp[] };
  }

  function findNamed(ids: readonly unknown[]) {
    const [found] = ids as readonly Id[];
    const login = found && findActive(found.pendingId);
    return found && login && { pendingId: found.pendingId, login };
  }

  /** The newest login of the place, if no attempt has been counted in it. */
  function findJoined(begun: contract.NewPendingLogin, joinSeconds: number) {
    const { userId, place, sender = null } = begun;
    if (joinSeconds === 0) return undefined;
    return findNamed(sql`SELECT pendingId FROM
      (SELECT * FROM login WHERE userId = ${userId} AND place = ${place} AND NOT hasPassed
        ORDER BY begunAt DESC, rowid DESC LIMIT 1) AS newest
      WHERE sender = ${sender} AND begunAt >= ${after(-joinSeconds)} AND NOT EXISTS
        (SELECT 1 FROM attempt WHERE attempt.pendingId = newest.pendingId)`);
  }

  /** Ends a login that has had no OTP where there are `most`; false: none may be ended. */
  function makeRoom(begun: contract.NewPendingLogin, options: contract.BeginOptions): boolean {
    const { userId, side, block } = begun;
    const found = sql`SELECT pendingId, block, begunAt FROM login
      WHERE userId = ${userId} AND side = ${side} AND sends = 0 AND NOT hasPassed
      ORDER BY begunAt, rowid` as (Id & { block: string; begunAt: number })[];
    if (found.length < options.most) return true;
    const ended =
      found.find((login) => login.block === block) ??
      found.find((login) => login.begunAt < after(-options.protectedSeconds));
    if (ended !== undefined) sql`DELETE FROM login WHERE pendingId = ${ended.pendingId}`;
    return ended !== undefined;
  }

  const pendingLogins: contract.PendingLoginStore = {
    begin: atomic((begun, options): contract.BegunPendingLogin => {
      const { pendingId: id, userId, place, side, block, value } = begun;
      if (sql`SELECT 1 FROM login WHERE pendingId = ${id}`.length > 0)
        throw new RangeError('the id is taken');
      const joined = findJoined(begun, options.joinSeconds);
      if (joined !== undefined) return { outcome: 'joined', ...joined };
      if (!makeRoom(begun, options)) return { outcome: 'refused' };
      sql`INSERT INTO login VALUES (${id}, ${userId}, ${place}, ${side}, ${block},
        ${begun.sender ?? null}, ${begun.series ?? null}, ${value}, '[]', 0, 0, ${now()},
        ${after(options.ttlSeconds)})`;
      return { outcome: 'begun' };
    }),
    attach: atomic((id, { otpId, value }, { endsPrevious = false } = {}) => {
      const login = findActive(id);
      if (login === undefined) return false;
      const others = login.otps.filter((other) => other.otpId !== otpId);
      const otps = JSON.stringify([{ otpId, value }, ...others].slice(0, endsPrevious ? 1 : 2));
      // The user's other login of that place loses its OTPs; the others of its series end.
      sql`UPDATE login SET otps = '[]'
        WHERE (userId, place) = (SELECT userId, place FROM login WHERE pendingId = ${id})`;
      sql`DELETE FROM login WHERE pendingId <> ${id} AND NOT hasPassed
        AND (userId, series) = (SELECT userId, series FROM login WHERE pendingId = ${id})`;
      sql`UPDATE login SET otps = ${otps}, sends = sends + 1 WHERE pendingId = ${id}`;
      return true;
    }),
    claim: atomic((id, options) => {
      const { of, otpId, most } = options;
      const login = findActive(id);
      const otp = login?.otps.find((one) => otpId === undefined || one.otpId === otpId);
      if (login === undefined || (otpId !== undefined && otp === undefined))
        return { outcome: 'unknown' };
      const countedAt = of === 'otp' && otp !== undefined ? otp.otpId : null;
      const [counted] = sql`INSERT INTO attempt VALUES (${id}, ${of}, ${countedAt ?? ''}, 1)
        ON CONFLICT DO UPDATE SET count = count + 1 WHERE count < ${most}
        RETURNING count` as { count: number }[];
      if (counted === undefined) return { outcome: 'exhausted' };
      return { outcome: 'claimed', attempt: counted.count, otpId: countedAt, login };
    }),
    find: atomic((id) => {
      const marks = sql`SELECT 1 FROM login WHERE pendingId = ${id} AND hasPassed`;
      return marks.length > 0 ? 'passed' : (findActive(id) ?? null);
    }),
    findNewest: atomic((userId, series) => {
      const ids = sql`SELECT pendingId FROM login
        WHERE userId = ${userId} AND series = ${series} AND NOT hasPassed
        ORDER BY otps <> '[]' DESC, begunAt DESC, rowid DESC LIMIT 1`;
      return findNamed(ids) ?? null;
    }),
    end: atomic((id, { otpId } = {}) => {
      const login = findActive(id);
      const otps = login?.otps.filter((otp) => otp.otpId !== otpId) ?? [];
      if (otpId === undefined) sql`DELETE FROM login WHERE pendingId = ${id}`;
      else sql`UPDATE login SET otps = ${JSON.stringify(otps)} WHERE pendingId = ${id}`;
      return login !== undefined && (otpId === undefined || otps.length < login.otps.length);
    }),
    endAll: atomic((userId, except = '') => {
      sql`DELETE FROM login WHERE userId = ${userId} AND pendingId <> ${except}`;
    }),
  };

  function list({ kind, owner }: contract.RecordsOf): contract.StoredRecord[] {
    return sql`SELECT id, tag, rank, value FROM record
      WHERE kind = ${kind} AND owner = ${owner} ORDER BY rank, id` as contract.StoredRecord[];
  }

  function remove({ kind, owner, id }: contract.RecordReference, seenTag?: string): boolean {
    const removed = sql`DELETE FROM record WHERE kind = ${kind} AND owner = ${owner}
      AND id = ${id} AND tag = coalesce(${seenTag ?? null}, tag) RETURNING id`;
    return removed.length === 1;
  }

  function put(asked: contract.RecordPut): contract.PutResult {
    const { kind, owner, record, ttlSeconds, most = MOST, ifNone } = asked;
    const found = list(asked);
    if (ifNone === true && found.length > 0) return { isPut: false, gone: [], replaced: null };
    sql`REPLACE INTO record VALUES (${kind}, ${owner}, ${record.id}, ${record.tag}, ${record.rank},
      ${record.value}, ${ttlSeconds === null ? Infinity : after(ttlSeconds)})`;
    // The lowest rank comes first. The one that is put stays: there is room for one fewer of them.
    const others = found.map(({ id }) => id).filter((id) => id !== record.id);
    const gone = others.slice(0, Math.max(0, others.length - most + 1));
    for (const id of gone) remove({ kind, owner, id });
    return { isPut: true, gone, replaced: found.find(({ id }) => id === record.id) ?? null };
  }

  const records: contract.RecordStore = {
    put: atomic(put),
    find: atomic((record) => list(record).find(({ id }) => id === record.id) ?? null),
    swap: atomic((record, seenTag, next, ttlSeconds) => {
      const isSwapped = remove(record, seenTag);
      if (isSwapped) put({ kind: record.kind, owner: record.owner, record: next, ttlSeconds });
      return isSwapped;
    }),
    list: atomic(list),
    remove: atomic(remove),
    removeAll: atomic(({ kind, owner }, except) => {
      const ids = list({ kind, owner }).map(({ id }) => id);
      return ids.filter((id) => id !== except && remove({ kind, owner, id }));
    }),
  };

  /** A lock may outlive the window: the count is 0 then. */
  function findTally(key: string): Tally {
    const [found = NOT_BEGUN] = sql`SELECT * FROM counter WHERE key = ${key}` as Tally[];
    return found.resetAt > now() ? found : { ...found, generation: 0, count: 0 };
  }

  function charge(counters: readonly contract.Counter[], isRefusable: boolean): contract.Charge {
    // All are read before the first one is changed: they may exempt each other.
    const found = counters.map((counter) => {
      const isExempt = counter.exemptBy?.some((key) => findTally(key).count > 0) === true;
      return { counter, isExempt, tally: isExempt ? NOT_BEGUN : findTally(counter.key) };
    });
    const refusal = found.findIndex(({ counter, isExempt, tally }) => {
      const { amount = 1, max = MOST, raisesTo } = counter;
      if (!isRefusable || isExempt || amount < 0 || raisesTo !== undefined) return false;
      return tally.lockedUntil > now() || amount > max - tally.count;
    });
    const counts = found.map(({ counter, isExempt, tally }) => {
      const isCharged = refusal < 0 && !isExempt && counter.isOnlyRead !== true;
      const { count, resetAt, lockedUntil, generation } = isCharged ? add(counter, tally) : tally;
      const resetSeconds = counter.windowSeconds === null ? null : secondsUntil(resetAt);
      return { count, resetSeconds, lockedSeconds: secondsUntil(lockedUntil), generation };
    });
    return { refusedBy: refusal < 0 ? null : refusal, counts };
  }

  function add(counter: contract.Counter, tally: Tally): Tally {
    const { key, windowSeconds, amount = 1, raisesTo, lifts } = counter;
    const isOfOther = (counter.generation ?? tally.generation) !== tally.generation;
    if (amount <= 0 && (tally.generation === 0 || isOfOther)) return tally;
    const sum = raisesTo === undefined ? tally.count + amount : Math.max(tally.count, raisesTo);
    const count = Math.min(Math.max(0, sum), MOST);
    const begins = tally.generation === 0 || (windowSeconds === null && amount > 0);
    const resetAt = begins ? after(windowSeconds ?? LONG_LIFE_SECONDS) : tally.resetAt;
    const lockSeconds = lockSecondsBetween(tally.count, count, counter);
    const lockedBy = lockSeconds > 0 ? count : tally.lockedBy;
    const lockedUntil = Math.max(tally.lockedUntil, lockSeconds > 0 ? after(lockSeconds) : 0);
    const [added] = sql`REPLACE INTO counter VALUES (nullif(${tally.generation}, 0), ${key},
      ${count}, ${resetAt}, ${lifts === lockedBy ? 0 : lockedUntil}, ${lockedBy}) RETURNING *`;
    return added as Tally;
  }

  const counters: contract.CounterStore = {
    charge: atomic((charged) => charge(charged, true)),
    clear: atomic((keys, { keepsLocked = false } = {}) => {
      const latest = keepsLocked ? now() : Infinity;
      for (const key of keys)
        sql`DELETE FROM counter WHERE key = ${key} AND lockedUntil <= ${latest}`;
    }),
    unlock: atomic((keys) => {
      for (const key of keys) sql`UPDATE counter SET lockedUntil = 0 WHERE key = ${key}`;
    }),
  };

  function finish(id: string, options: contract.FinishOptions): contract.FinishResult {
    const { otpId, acceptsPassed = false, leavesMark, clears, charges, puts, replaces } = options;
    const login = findActive(id);
    const marks = sql`SELECT 1 FROM login WHERE pendingId = ${id} AND hasPassed`;
    const isThere = login !== undefined || (acceptsPassed && marks.length > 0);
    const hasOtp = otpId === undefined || login?.otps.some((otp) => otp.otpId === otpId);
    if (!isThere || hasOtp !== true) return { isFinished: false };
    const hasTag = ({ ifTag, record, ...of }: contract.RecordPut): boolean =>
      ifTag === undefined || list(of).some(({ id, tag }) => id === record.id && tag === ifTag);
    if (!puts.every(hasTag)) return { isFinished: false };
    const replaced = replaces && list(replaces).find((record) => record.id === replaces.id);
    if (replaces !== undefined && !remove(replaces)) return { isFinished: false };
    sql`UPDATE login SET hasPassed = 1, value = '', otps = '[]' WHERE pendingId = ${id}`;
    if (!leavesMark) sql`DELETE FROM login WHERE pendingId = ${id}`;
    for (const key of clears) sql`DELETE FROM counter WHERE key = ${key}`;
    charge(charges, false);
    return { isFinished: true, results: puts.map(put), replaced: replaced ?? null };
  }

  function findToken(account: string): contract.StoredToken | null {
    const [token] = sql`SELECT fence, sealed FROM token WHERE account = ${account}`;
    return (token as contract.StoredToken | undefined) ?? null;
  }

  /** Without a fence, the lease is another's. */
  const takeLease = atomic((account: string, seen: number) => {
    const token = findToken(account);
    if (token !== null && token.fence > seen) return { token };
    const [lease] = sql`INSERT INTO lease VALUES (${account}, ${seen + 1}, ${after(LEASE_SECONDS)})
      ON CONFLICT DO UPDATE SET fence = max(fence + 1, excluded.fence), endsAt = excluded.endsAt
      WHERE endsAt <= ${now()} RETURNING fence` as { fence: number }[];
    return { token, fence: lease?.fence };
  });

  /** Stores the token, if there is one, unless the lease has passed to another. */
  const endLease = atomic((account: string, fence: number, token?: contract.RenewedToken) => {
    const ended = sql`UPDATE lease SET endsAt = 0
      WHERE account = ${account} AND fence = ${fence} RETURNING fence`;
    if (token === undefined || ended.length === 0) return;
    const until = after(token.ttlSeconds);
    sql`REPLACE INTO token VALUES (${account}, ${fence}, ${token.sealed}, ${until})`;
  });

  const tokens: contract.TokenStore = {
    read: atomic(findToken),
    async renew(account, seen, renew) {
      for (;;) {
        const { token, fence } = await takeLease(account, seen);
        if (token !== null && token.fence > seen) return token;
        if (fence === undefined) await wait(POLL_MS);
        else
          try {
            await endLease(account, fence, await renew(token));
          } catch (error) {
            await endLease(account, fence);
            throw error;
          }
      }
    },
  };

  return { pendingLogins, counters, records, tokens, finish: atomic(finish) };
}

/** The lock of the last multiple of `every` that was reached or passed; 0: none was. */
function lockSecondsBetween(former: number, count: number, { lock }: contract.Counter): number {
  if (lock === undefined) return 0;
  const { every, from = every, seconds } = lock;
  const ordinalOf = (reached: number): number =>
    Math.floor(reached / every) - Math.floor((from - 1) / every);
  if (ordinalOf(count) <= Math.max(0, ordinalOf(former))) return 0;
  return seconds[ordinalOf(count) - 1] ?? seconds.at(-1) ?? 0;
}
