// One validate call against the same loopback server: ours beside raw HTTP and other clients, each
// in a process of its own.
import { once } from 'node:events';
import { forkOnCore } from './lib/cores.mjs';
import { interleave, ratios, show, summarize } from './lib/measure.mjs';
import { startGateway } from './lib/start-gateway.mjs';

const OURS = 'passport-sms-otp';
/** The fastest way to send a request with undici's documented calls: the address is parsed once. */
const REFERENCE = 'undici Pool.request';
const NAMES = [
  OURS,
  REFERENCE,
  'undici.request',
  'node:http',
  'fetch',
  'axios',
  'twilio',
  '@vonage/verify2',
];
const AT_ONCE = [1, 16, 128];
const ROUNDS = 15;
const TURN_MS = 120;
/** Turns before anything is counted: until then the compiler is part of what is measured. */
const WARM_UP_TURNS = 30;
/**
 * New processes so many times: what the compiler makes of the same code differs from one to the
 * next.
 */
const STARTS = 3;

const gateway = await startGateway();

async function startClient(name) {
  const child = forkOnCore(0, 'client-subject.mjs', name, gateway.url);
  await once(child, 'message');
  return child;
}

async function turn(child, callers) {
  child.send({ callers, durationMs: TURN_MS });
  const [figures] = await once(child, 'message');
  return figures;
}

const allFigures = AT_ONCE.map(() => Object.fromEntries(NAMES.map((name) => [name, []])));
for (let time = 0; time < STARTS; time += 1) {
  const subjects = {};
  for (const name of NAMES) subjects[name] = await startClient(name);
  await interleave(subjects, WARM_UP_TURNS, (child) => turn(child, 16));
  for (const [index, callers] of AT_ONCE.entries()) {
    const counted = await interleave(subjects, ROUNDS, (child) => turn(child, callers));
    for (const name of NAMES) allFigures[index][name].push(...counted[name]);
  }
  for (const child of Object.values(subjects)) child.disconnect();
}
const rows = [];
for (const [index, callers] of AT_ONCE.entries()) {
  const figures = allFigures[index];
  const throughput = ratios(figures, REFERENCE, 'perSecond');
  const cpu = ratios(figures, REFERENCE, 'cpuMicros');
  const toOurs = ratios(figures, OURS, 'perSecond');
  for (const name of NAMES) {
    rows.push({
      callers,
      name,
      throughput: show(throughput[name]),
      cpu: show(cpu[name]),
      perSecond: Math.round(summarize(figures[name].map(({ perSecond }) => perSecond)).median),
      oursTimes: 1 / toOurs[name].median,
      ratio: throughput[name].median,
      cpuRatio: cpu[name].median,
    });
  }
}
await gateway.close();

const of = (name, callers) => rows.find((row) => row.name === name && row.callers === callers);
const atLeast = (goal, callers) => {
  const { ratio } = of(OURS, callers);
  return [
    `throughput at ${callers} at least ${goal} of ${REFERENCE}`,
    ratio >= goal,
    ratio.toFixed(2),
  ];
};
const goals = [
  atLeast(1, 1),
  ...[16, 128].flatMap((callers) => {
    const { cpuRatio } = of(OURS, callers);
    const others = Object.entries({ twilio: 8, fetch: 8, axios: 6 }).map(([name, goal]) => {
      const { oursTimes } = of(name, callers);
      return [`${goal} times ${name} at ${callers}`, oursTimes >= goal, oursTimes.toFixed(1)];
    });
    const cpu = [
      `CPU per call at ${callers} at most 0.9 of ${REFERENCE}`,
      cpuRatio <= 0.9,
      cpuRatio.toFixed(2),
    ];
    return [atLeast(1.1, callers), cpu, ...others];
  }),
];
process.stdout.write(
  JSON.stringify({
    title: 'One validate call',
    columns: [
      'at once',
      'client',
      `throughput / ${REFERENCE}`,
      `CPU / ${REFERENCE}`,
      'calls/s',
      'ours is … times',
    ],
    rows: rows.map((row) => [
      row.callers,
      row.name,
      row.throughput,
      row.cpu,
      row.perSecond,
      row.oursTimes.toFixed(1),
    ]),
    goals,
  }),
);
process.exit(0);
