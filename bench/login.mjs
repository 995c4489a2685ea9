// A full login: password, text, code, page. The password's hash is taken out everywhere. This
// process is the visitors; every app has a process of its own.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { interleave, ratios, show, summarize } from './lib/measure.mjs';
import { startGateway } from './lib/start-gateway.mjs';
import { startRedis } from './lib/start-redis.mjs';
import { startSubject } from './lib/start-subject.mjs';
import { closeVisitors, logInByBetterAuth, logInByForms } from './lib/visitor.mjs';

/**
 * Before anything is counted, the compiler is part of what is measured, for some 5,000 logins. The
 * warm-up is in turns like the rest, because the side that is warmed up first and then waits is
 * slower for a while.
 */
const TURNS = { first: 40, warmUp: 170, counted: 20, logins: 64 };
/** Of a turn of a process's first logins, so that all of these are 2,000. */
const FIRST_LOGINS = 50;
/** Of better-auth, which takes longer. */
const FEWER_TURNS = { first: 0, warmUp: 2, counted: 4, logins: 50 };
/**
 * New processes so many times: what the compiler makes of the same code differs from one to the
 * next.
 */
const STARTS = 4;
const AT_ONCE = 16;
/** Another checkout of this repository, built: its login is measured beside this one's. */
const BEFORE = process.env.BENCH_BEFORE;
/** So many people, who come back in the browser that they had. */
const USERS = 500;
let lastUser = 0;

const nextUser = () => (lastUser = (lastUser % USERS) + 1);

const logIn = {
  'passport-sms-otp': ({ url }) => logInByForms(url, nextUser()),
  'the one before': ({ url }) => logInByForms(url, nextUser()),
  'hand-written': ({ url }) => logInByForms(url, nextUser()),
  'better-auth': ({ url, codes }) => logInByBetterAuth(url, nextUser() % 200, codes),
};

async function run(subject, name, logins) {
  const before = await subject.usage();
  const startedAt = performance.now();
  let begun = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (begun < logins) {
        begun += 1;
        await logIn[name](subject);
      }
    }),
  );
  const perSecond = (logins * 1000) / (performance.now() - startedAt);
  return { perSecond, cpuMicros: ((await subject.usage()).cpuMicros - before.cpuMicros) / logins };
}

let lastDatabase = 0;

/** With a database of its own, where no one has logged in before. */
function start(flow, place) {
  lastDatabase = (lastDatabase % 15) + 1;
  const url = redis && `${redis.url}/${lastDatabase}`;
  if (flow !== 'the one before') return startSubject(flow, place, gateway.url, url);
  return startSubject('passport-sms-otp', place, gateway.url, url, resolve(BEFORE));
}

/** Calls of one login, alone. */
async function countCalls(subject, name) {
  await logIn[name](subject);
  const [gatewayBefore, before] = [await gateway.calls(), await subject.usage()];
  await logIn[name](subject);
  const { calls } = await subject.usage();
  const stored = Object.entries(calls).map(
    ([call, value]) => `${call} ${value - before.calls[call]}`,
  );
  return { gateway: (await gateway.calls()) - gatewayBefore, stored: stored.join(', ') };
}

/** Processor time of the first logins of new processes, while their code is not compiled yet. */
async function runFirst(subjects, turns, figures) {
  const before = {};
  for (const [name, subject] of Object.entries(subjects)) before[name] = await subject.usage();
  // The first round is one more.
  await interleave(subjects, turns - 1, (subject, name) => run(subject, name, FIRST_LOGINS));
  for (const [name, subject] of Object.entries(subjects)) {
    const { cpuMicros } = await subject.usage();
    const logins = turns * FIRST_LOGINS;
    figures[name].push({ cpuMicros: (cpuMicros - before[name].cpuMicros) / logins });
  }
}

async function measure(place, flows, turns = TURNS) {
  const figures = Object.fromEntries(flows.map((flow) => [flow, []]));
  const cold = Object.fromEntries(flows.map((flow) => [flow, []]));
  const calls = {};
  for (let time = 0; time < STARTS; time += 1) {
    const subjects = {};
    for (const flow of flows) subjects[flow] = await start(flow, place);
    const turn = (subject, name) => run(subject, name, turns.logins);
    if (turns.first > 0) await runFirst(subjects, turns.first, cold);
    await interleave(subjects, turns.warmUp, turn);
    const counted = await interleave(subjects, turns.counted, turn);
    for (const [name, subject] of Object.entries(subjects)) {
      figures[name].push(...counted[name]);
      calls[name] = await countCalls(subject, name);
      await subject.close();
    }
  }
  const reference = flows.at(-1);
  const perSecond = ratios(figures, reference, 'perSecond');
  const cpu = ratios(figures, reference, 'cpuMicros');
  const first = turns.first > 0 ? ratios(cold, reference, 'cpuMicros') : undefined;
  const median = (name) => summarize(figures[name].map((round) => round.perSecond)).median;
  const rows = flows.map((name) => {
    const relative =
      flows.length > 1 ? [perSecond, cpu, first].map((one) => show(one[name])) : ['', '', ''];
    return [
      place,
      name,
      ...relative,
      median(name).toFixed(0),
      calls[name].stored,
      calls[name].gateway,
    ];
  });
  const overBefore = [figures, cold].map((all) =>
    flows.includes('the one before')
      ? ratios(all, 'the one before', 'cpuMicros')['passport-sms-otp'].median
      : undefined,
  );
  return { rows, ours: perSecond['passport-sms-otp']?.median, median, overBefore };
}

const gateway = await startGateway();
const redis = spawnSync('redis-server', ['--version']).status === 0 ? await startRedis() : null;
const FLOWS = ['passport-sms-otp', ...(BEFORE ? ['the one before'] : []), 'hand-written'];
const inMemory = await measure('memory', FLOWS);
const inRedis = redis && (await measure('Redis', FLOWS));
// By itself: the others would cool down while it takes its time.
const alone = await measure('memory', ['better-auth'], FEWER_TURNS);
await redis?.close();
await gateway.close();
await closeVisitors();

const times = inMemory.median('passport-sms-otp') / alone.median('better-auth');
const gatewayCalls = inMemory.rows[0].at(-1);
process.stdout.write(
  JSON.stringify({
    title: 'A full login',
    columns: [
      'stores',
      'flow',
      'logins/s / hand-written',
      'CPU / hand-written',
      'CPU of the first 2,000 / hand-written',
      'logins/s',
      'session-store calls',
      'gateway calls',
    ],
    rows: [...inMemory.rows, ...(inRedis?.rows ?? []), ...alone.rows],
    goals: [
      [
        'in memory at least as many logins as the hand-written flow',
        inMemory.ours >= 1,
        inMemory.ours.toFixed(2),
      ],
      ...(inRedis === null
        ? []
        : [['on Redis the same', inRedis.ours >= 1, inRedis.ours.toFixed(2)]]),
      ...(BEFORE
        ? [
            ['CPU of the build before at most 1.00', inMemory.overBefore[0], 1],
            ['over the first 2,000 logins at most 0.95', inMemory.overBefore[1], 0.95],
          ].map(([goal, share, most]) => [goal, share <= most, share.toFixed(2)])
        : []),
      ['exactly 2 gateway calls', gatewayCalls === 2, String(gatewayCalls)],
      ['5 times better-auth', times >= 5, times.toFixed(1)],
    ],
  }),
);
process.exit(0);
