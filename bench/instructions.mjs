// What a login executes, beside that of another build:
//   BENCH_BEFORE=<another checkout, built> node bench/instructions.mjs
//
// Counts the instructions in user space of one login (password, send, verify, guarded page) in the
// process of the app: Express, sessions and Passport included, the gateway and the visitor not,
// because they have processes of their own. Options are the default ones, but for limits that so
// many logins from one address would meet; store and sessions are in memory. Both builds serve the
// same app, and each has the dependencies of its own checkout.
//
// How they are counted is printed with the result:
// - perf: `instructions:u` of the processor, attached to the process for each turn. Exact.
// - callgrind: valgrind counts each turn; node runs with --single-threaded, so that the compiler and
//   the garbage collector are counted with what they are for. Exact, and ten times as slow as the
//   processor even while it does not count, so that fewer logins come before: the code of both
//   sides is less compiled than in production, where a login executes about half of this.
// - user CPU time, where the machine has neither: trust it to some five per cent.
//
// The ratio is taken turn by turn; turns alternate. Processes of one build differ, because the
// compiler does not decide alike in each, so that there are several pairs. What counts is the median
// and whether the pairs agree: BENCH_BEFORE=. compares a build with itself and says how much of a
// difference is none.
import { execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { interleave, ratios, show, summarize } from './lib/measure.mjs';
import { startGateway } from './lib/start-gateway.mjs';
import { closeVisitors, logInByForms } from './lib/visitor.mjs';

const HERE = resolve(import.meta.dirname, '..');
const BEFORE = process.env.BENCH_BEFORE;
if (BEFORE === undefined) throw new Error('BENCH_BEFORE must name another checkout, built');

const SUBJECT = fileURLToPath(new URL('lib/instructions-subject.mjs', import.meta.url));
const PAIRS = Number(process.env.BENCH_PAIRS ?? 2);
/** They come back in the browsers that they had. */
const USERS = 500;
const AT_ONCE = 8;
/** Logins that may fail before the figures say nothing. */
const MOST_FAILED = 10;
/** Everything that callgrind writes. */
const folder = mkdtempSync(join(tmpdir(), 'instructions-'));

/** Whether a program runs and says that it can count. */
function works(command, args, refusal) {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 && !(refusal?.test(stderr) ?? false);
}

const METHODS = {
  perf: {
    isThere: () =>
      works('perf', ['stat', '-e', 'instructions:u', 'true'], /not (supported|counted)/),
    logins: { warmUp: 5_000, turn: 200 },
    command: [process.execPath, ['--single-threaded']],
    async count(child, act) {
      const args = ['stat', '-x', ',', '-e', 'instructions:u', '-p', String(child.pid)];
      const perf = spawn('perf', args, { stdio: ['ignore', 'ignore', 'pipe'] });
      let text = '';
      perf.stderr.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      // It says nothing once it is attached.
      await wait(200);
      await act();
      perf.kill('SIGINT');
      await once(perf, 'close');
      return Number.parseInt(text, 10);
    },
  },
  callgrind: {
    isThere: () => works('valgrind', ['--version']) && works('vgdb', ['--help']),
    logins: { warmUp: 1_500, turn: 25 },
    command: [
      'valgrind',
      [
        ...['--quiet', '--tool=callgrind', '--instr-atstart=no', '--cache-sim=no'],
        ...['--smc-check=all-non-file', `--callgrind-out-file=${join(folder, '%p')}`],
        ...[process.execPath, '--single-threaded'],
      ],
    ],
    async count(child, act) {
      const tell = (...words) =>
        execFileSync('vgdb', [`--pid=${child.pid}`, ...words], { stdio: 'ignore' });
      // Once: what is translated without counting has to be translated again.
      if (child.dumps === undefined) tell('instrumentation', 'on');
      tell('zero');
      await act();
      tell('dump');
      child.dumps = (child.dumps ?? 0) + 1;
      const dump = readFileSync(join(folder, `${child.pid}.${child.dumps}`), 'utf8');
      return Number(/^totals: (\d+)/m.exec(dump)?.[1]);
    },
  },
  'user CPU time': {
    unit: 'seconds',
    isThere: () => true,
    logins: { warmUp: 5_000, turn: 200 },
    command: [process.execPath, ['--single-threaded']],
    async count(child, act) {
      const read = async () => {
        child.send('usage');
        return (await once(child, 'message'))[0].userMicros;
      };
      const before = await read();
      await act();
      return (await read()) - before;
    },
  },
};

const chosen = process.env.BENCH_COUNTER;
const [name, method] =
  Object.entries(METHODS).find(([one, { isThere }]) =>
    chosen === undefined ? isThere() : one === chosen,
  ) ?? [];
if (method === undefined) throw new Error(`BENCH_COUNTER is one of ${Object.keys(METHODS).join()}`);
const WARM_UP = Number(process.env.BENCH_WARM_UP ?? method.logins.warmUp);
const TURNS = 10;

let failed = 0;

/** On a machine that is slow enough a call to the gateway or the store comes too late. */
function noteFailure(error) {
  failed += 1;
  if (failed > MOST_FAILED) throw error;
}

async function start(checkout) {
  const [execPath, execArgv] = method.command;
  const child = fork(SUBJECT, [checkout, gateway.url], { execPath, execArgv });
  const [{ port }] = await once(child, 'message');
  let begun = 0;
  const logIn = async (times) => {
    const last = begun + times;
    const visitors = Array.from({ length: AT_ONCE }, async () => {
      while (begun < last) {
        begun += 1;
        await logInByForms(`http://127.0.0.1:${port}`, (begun % USERS) + 1).catch(noteFailure);
      }
    });
    await Promise.all(visitors);
  };
  return { child, logIn };
}

async function measurePair() {
  const [now, before] = await Promise.all([start(HERE), start(resolve(BEFORE))]);
  const subjects = { now, before };
  await Promise.all(Object.values(subjects).map(({ logIn }) => logIn(WARM_UP)));
  const figures = await interleave(subjects, TURNS, async ({ child, logIn }) => ({
    each: (await method.count(child, () => logIn(method.logins.turn))) / method.logins.turn,
  }));
  for (const { child } of Object.values(subjects)) {
    child.disconnect();
    await once(child, 'exit');
  }
  return figures;
}

const gateway = await startGateway();
try {
  const all = { now: [], before: [] };
  const print = (what, figures) => {
    const each = (side) =>
      (summarize(figures[side].map((turn) => turn.each)).median / 1e6).toFixed(3);
    const { now } = ratios(figures, 'before', 'each');
    const ends = `${now.min.toFixed(3)} to ${now.max.toFixed(3)}`;
    process.stdout.write(
      `${what}: ${show(now, 3)} of the build before, turns from ${ends}; ${method.unit ?? 'millions'} a login: ` +
        `${each('now')} and ${each('before')}\n`,
    );
  };
  process.stdout.write(
    `Counted by ${name}: ${TURNS} turns of ${method.logins.turn} logins after ${WARM_UP}.\n`,
  );
  for (let pair = 1; pair <= PAIRS; pair += 1) {
    const figures = await measurePair();
    for (const side of Object.keys(all)) all[side].push(...figures[side]);
    print(`pair ${pair}`, figures);
  }
  print('all', all);
  if (failed > 0) process.stdout.write(`${failed} logins failed.\n`);
} finally {
  await gateway.close();
  await closeVisitors();
  rmSync(folder, { recursive: true });
}
process.exit(0);
