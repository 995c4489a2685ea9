import { StoreError } from '../../errors';
import { toWholeNumber } from '../check-values';
import type { FinishOptions, FinishResult, RecordPut, SmsOtpStore } from '../store';
import { LOGIN, MARKING } from './login-lua';
import { defineScript, type RunScript } from './redis-client';
import { counterKey, PLANNING, toPlan } from './redis-counters';
import { pendingLoginKey } from './redis-pending-logins';
import type { ServerClock } from './server-clock';
import { PUTTING, readRecord, recordsKey, toPutResult, toPutValues, toTag } from './redis-records';

/**
 * KEYS: pending login, the counters to clear, those that `plan_charge` takes, the records. ARGV: id
 * of the login, JSON of what `toText` returns, and the deadline of the call (0: not known). Returns
 * the replaced entry or nil, and for each put what `plan_put` returns, nil if nothing was put.
 * Returns 0 if nothing was finished, -1 if it is too late.
 */
const FINISH = defineScript(`
${LOGIN}
${MARKING}
${PLANNING}
${PUTTING}
local deadline = tonumber(ARGV[3])
if deadline > 0 and now > deadline then return -1 end
local ended, clears, charged, charges, replaces, puts = unpack(cjson.decode(ARGV[2]))
local otp_id, leaves_mark, accepts_passed = unpack(ended)
local login, mark = read_login(id)
if not login and not (accepts_passed and mark) then return 0 end
if otp_id and not find_otp(login, otp_id) then return 0 end

local owners = {}
local function records_of(index)
  local records_key = KEYS[1 + clears + charged + index]
  owners[index] = owners[index] or read_records(records_key)
  return owners[index]
end

local answer = { false }
if replaces then
  local index, replaced = unpack(replaces)
  local records = records_of(index)
  answer[1] = records.live[replaced]
  if not answer[1] then return 0 end
  parse(replaced, answer[1])
  change(records, replaced, false)
end
for _, put in ipairs(puts) do
  local index, seen, id = unpack(put)
  local entry = records_of(index).live[id]
  if seen and not (entry and has_tag(entry, seen)) then return 0 end
end
for i, put in ipairs(puts) do answer[i + 1] = plan_put(records_of(put[1]), unpack(put, 3)) end

local charged_keys = { unpack(KEYS, 2 + clears, 1 + clears + charged) }
local refused, tallies, changed = plan_charge(charged_keys, charges, true)
if refused > 0 then error('a charge that is full') end

-- First what a full server refuses: then nothing has changed.
write_tallies(charged_keys, tallies, changed)
for _, records in pairs(owners) do write_records(records) end
if leaves_mark and login then redis.call('HSET', key, 'passed', 1) end
for i = 2, 1 + clears do redis.call('DEL', KEYS[i]) end
for _, records in pairs(owners) do delete_records(records) end
if not leaves_mark then end_login(id, (login or mark).user, login and login.place)
elseif login then leave_mark(login) end
return answer`);

export function redisFinish(run: RunScript, clock: ServerClock): SmsOtpStore['finish'] {
  return async (pendingId, options) => {
    const { clears, charges, puts, replaces } = options;
    const [charged, plan] = toPlan(charges);
    const named = replaces === undefined ? puts : [replaces, ...puts];
    const owners = [...new Set(named.map(recordsKey))];
    const keys = [pendingLoginKey(pendingId), ...clears.map(counterKey), ...charged, ...owners];
    const text = toText(options, charged.length, plan, owners);
    const values = [pendingId, text, clock.readDeadline()];

    const reply = await run('finish', FINISH, keys, values);
    if (reply === -1) throw new StoreError('finish: the time of the call is over');
    if (toWholeNumber(reply) === 0) return { isFinished: false };
    return toFinished(options, reply);
  };
}

/** @throws {StoreError} `ERR_STORE` if the reply is not that of a finish. */
function toFinished({ puts, replaces }: FinishOptions, reply: unknown): FinishResult {
  if (!Array.isArray(reply) || reply.length !== puts.length + 1)
    throw new StoreError('finish: unknown answer');

  const [entry, ...results] = reply as unknown[];
  return {
    isFinished: true,
    results: puts.map((put, index) => toPutResult('finish', put, results[index])),
    replaced: replaces === undefined ? null : readRecord(replaces.id, entry),
  };
}

/**
 * Returns the fields that the script reads, in its order, as JSON.
 * @param plan JSON of the charges.
 * @param owners The keys of the records, which Lua counts from 1.
 */
function toText(
  options: FinishOptions,
  charged: number,
  plan: string,
  owners: readonly string[],
): string {
  const indexOf = (records: { readonly kind: string; readonly owner: string }): number =>
    owners.indexOf(recordsKey(records)) + 1;

  const { otpId = false, leavesMark, acceptsPassed = false } = options;
  const ended = [otpId, leavesMark, acceptsPassed];
  const begin = JSON.stringify([ended, options.clears.length, charged]).slice(0, -1);
  const { replaces } = options;
  const end = JSON.stringify([
    replaces === undefined ? false : [indexOf(replaces), replaces.id],
    options.puts.map((put) => [indexOf(put), toSeen(put), ...toPutValues(put)]),
  ]).slice(1);

  return `${begin},${plan},${end}`;
}

/** Returns the tag that the record must have, as entries contain it. False: none is required. */
function toSeen({ ifTag }: RecordPut): string | false {
  return ifTag === undefined ? false : toTag(ifTag);
}
