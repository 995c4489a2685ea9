import { measureTemplate } from '../../protocol/message-length';
import { guardStore } from '../../stores/guarded-store';
import {
  type Command,
  type CommandCall,
  type Format,
  JSON_OPTION,
  readMobile,
  YES_OPTION,
} from '../command';
import { checkGateway, type PaidChecks } from '../doctor/check-gateway';
import { type DoctorResult, fail, notTested, pass, toResult, warn } from '../doctor/check-result';
import { CommandFailure, WrongUsage } from '../failures';
import { GATEWAY_OPTIONS, readGatewayEnvironment } from '../gateway';
import { openPostgres, openRedis, type OpenState, STATE_OPTIONS } from '../open-state';

export const doctor: Command = {
  name: 'doctor',
  summary: 'check everything a login needs, and say what to do',
  options: {
    number: { value: '<number>', help: 'show what a message to this number costs' },
    send: { help: 'send a code to --number; costs money' },
    lookup: { help: 'look up --number; costs money' },
    template: { value: '<text>', help: 'check the length of a message' },
    ...STATE_OPTIONS,
    ...YES_OPTION,
    ...JSON_OPTION,
    ...GATEWAY_OPTIONS,
  },
  notes: [
    'Without --send and --lookup it spends no money. REDIS_URL and DATABASE_URL are checked if ' +
      'they are set.',
    'It authenticates: if processes do not share a token (variant B), a running app ' +
      'must authenticate once more.',
  ],
  async run(call) {
    const paid = readPaidChecks(call);
    if (paid.isSending || paid.isLookingUp) await call.askForMoney(toQuestion(paid));

    const results: DoctorResult[] = [];
    for await (const result of runChecks(call, paid)) {
      // After Ctrl+C failing checks are no result.
      if (call.io.signal.aborted) throw new CommandFailure('Interrupted.');
      results.push(result);
      if (!call.args.isOn('json')) showCheck(call, result);
    }

    const isFine = results.every((result) => result.status !== 'fail');
    call.showResult({ fine: isFine, checks: results }, () => showTotals(call, results));
    return isFine ? 0 : 1;
  },
};

function readPaidChecks(call: CommandCall): PaidChecks {
  const { args } = call;
  const number = args.text('number');
  const checks = { isSending: args.isOn('send'), isLookingUp: args.isOn('lookup') };
  if (number === undefined && (checks.isSending || checks.isLookingUp)) {
    throw new WrongUsage('--send and --lookup need --number');
  }
  return { mobile: number === undefined ? null : readMobile(number), ...checks };
}

function toQuestion(paid: PaidChecks): string {
  const sending = paid.isSending ? ['send a code to'] : [];
  const lookingUp = paid.isLookingUp ? ['look up'] : [];
  const acts = [...sending, ...lookingUp].join(' and ');
  return `${acts.charAt(0).toUpperCase()}${acts.slice(1)} ${paid.mobile ?? ''}? It costs money.`;
}

/** Runs every check, one after the other. */
async function* runChecks(call: CommandCall, paid: PaidChecks): AsyncGenerator<DoctorResult> {
  const environment = await readGatewayEnvironment(call);
  yield* checkGateway(call.io, environment, paid);
  const template = call.args.text('template');
  if (template !== undefined) yield checkTemplate(template);
  yield* checkState(call);
}

/** The longest code the gateway makes. Not shown in OTP spec §4. */
const MOST_PIN_DIGITS = 10;

/** Checks whether a template fits one message with the longest code. OTP spec §4, §8. */
function checkTemplate(template: string): DoctorResult {
  const { encoding, units, limit, problem } = measureTemplate(template, MOST_PIN_DIGITS);
  if (problem === null)
    return pass('template', `${units} of ${limit} (${encoding}) with the longest code`);
  const advice = problem.includes('[PIN]')
    ? 'Write [PIN] once, in the place of the code.'
    : 'Shorten it, or replace the characters that are named.';
  return fail('template', problem, advice);
}

/** Reads a counter that does not exist, to see whether the store answers. */
const PROBE = { key: 'doctor', windowSeconds: null, isOnlyRead: true };

/**
 * How often to read the counter. The store reads three settings of the server one after the other,
 * so after this many reads it has its answers.
 */
const READS = 4;

/** Checks Redis and PostgreSQL if the environment has their addresses. Writes nothing. */
async function* checkState(call: CommandCall): AsyncGenerator<DoctorResult> {
  const { REDIS_URL, DATABASE_URL } = call.io.env;
  if (REDIS_URL) yield await check('redis', () => openRedis(call, REDIS_URL));
  if (DATABASE_URL) yield await check('postgres', () => openPostgres(call, DATABASE_URL));
  if (!REDIS_URL && !DATABASE_URL)
    yield notTested('store', 'REDIS_URL and DATABASE_URL are not set');
}

async function check(
  name: 'redis' | 'postgres',
  open: () => Promise<OpenState>,
): Promise<DoctorResult> {
  let state: OpenState;
  try {
    state = await open();
  } catch (error) {
    return toResult(name, error);
  }

  try {
    const { counters } = guardStore(state.store, Date.now);
    for (let read = 0; read < READS; read += 1) await counters.charge([PROBE]);
  } catch (error) {
    return toResult(name, error);
  } finally {
    await state.close();
  }

  const [warning] = state.warnings;
  if (warning === undefined) return pass(name, 'the store works');
  // Split the warning, which has the form "What is wrong. What to do."
  const end = warning.lastIndexOf('. ');
  return warn(name, warning.slice(0, end), warning.slice(end + 2));
}

const CHECK_WIDTH = 13;

/** How each status is shown: its word, color and name in the totals. */
const LABELS: Readonly<Record<DoctorResult['status'], readonly [string, Format, string, string?]>> =
  {
    pass: ['pass', 'green', 'passed'],
    warn: ['warn', 'yellow', 'warning', 'warnings'],
    fail: ['fail', 'red', 'failed'],
    'not-tested': ['skip', 'dim', 'skipped'],
  };

/** Shows a result on one line, and its advice on a line below. */
function showCheck(call: CommandCall, result: DoctorResult): void {
  const { line, style } = call.output;
  const [word, color] = LABELS[result.status];
  line(`  ${style(color, word)}  ${result.check.padEnd(CHECK_WIDTH)}${result.detail}`);
  const { advice } = result;
  if (advice !== null) line(`        ${' '.repeat(CHECK_WIDTH)}${style('dim', '→')} ${advice}`);
}

/** Shows totals such as "6 passed, 1 warning, 1 failed, 2 skipped". */
function showTotals(call: CommandCall, results: readonly DoctorResult[]): void {
  const parts = Object.entries(LABELS).flatMap(([status, [, color, one, many = one]]) => {
    const count = results.filter((result) => result.status === status).length;
    return count > 0 || status === 'pass'
      ? [call.output.style(color, `${count} ${count === 1 ? one : many}`)]
      : [];
  });

  call.output.line('');
  call.output.line(`  ${parts.join(', ')}`);
}
