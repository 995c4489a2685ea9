import { setTimeout as pause } from 'node:timers/promises';
import { Invariants } from '../../test/reliability/support/invariants';
import { endHosts, startHosts } from '../../test/reliability/support/host';
import { startScene, type Scene } from '../../test/reliability/support/scene';
import { startRedis } from '../../test/services/redis';
import { viewRedis } from '../../test/reliability/support/state-view';
import { maybeFail, pick, seededRandom } from './faults';
import { VISITS, type VisitResult } from './visits';

// `npm run chaos`: full load on two processes and one Redis for CHAOS_SECONDS (60), every twentieth
// call of the gateway going wrong, Redis killed and started again half-way. Ends with 1 when
// anything wrong has happened.

const SECONDS = Number(process.env.CHAOS_SECONDS ?? 60);
const SEED = Number(process.env.CHAOS_SEED ?? 1);
const FAULT_RATE = 0.05;
const VISITORS_AT_ONCE = 64;
const ROUNDS = 4;
const PROCESSES = 2;
/** Users for so many visits; each comes once, so that no limit of one user ends the load. */
const PEOPLE = 60_000;
const MEGABYTE = 2 ** 20;
/** The heap may not grow more than this from the first round to the last. */
const FLAT_WITHIN = { share: 0.15, bytes: 8 * MEGABYTE };

const CUTS = new Set(['ECONNRESET', 'UND_ERR_SOCKET']);

interface Tally {
  visits: number;
  cut: number;
  passed: number;
  readonly statuses: Map<number, number>;
  readonly wrong: string[];
}

async function main(): Promise<number> {
  const random = seededRandom(SEED);
  const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
  const hosts = startHosts(PROCESSES);
  const scene = await startScene({
    state: { kind: 'redis', port: redis.port },
    hosts,
    people: PEOPLE,
    mostRecords: 100,
    gateway: { timeoutMs: 1_000 },
  });
  const viewer = await viewRedis(redis.port);
  const invariants = new Invariants(scene.witness, viewer, scene);
  const tally: Tally = { visits: 0, cut: 0, passed: 0, statuses: new Map(), wrong: [] };
  const heaps: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const ends = Date.now() + (SECONDS * 1000) / ROUNDS;
    const load = Array.from({ length: VISITORS_AT_ONCE }, () =>
      visitUntil(ends, scene, tally, random),
    );
    if (round === 3) await restartRedis(redis, (SECONDS * 1000) / ROUNDS / 2);
    await Promise.all(load);
    const { passes, unhandled, errors } = await scene.report();
    tally.wrong.push(
      ...(await invariants.findBreaches({ passes })),
      ...unhandled,
      ...errors.filter(isBug),
    );
    // Node closes connections that rest for 5 s: how many a burst has opened says nothing of what
    // is kept.
    await pause(6_000);
    const samples = await Promise.all(hosts.map((host) => host.collect()));
    heaps.push(samples.reduce((sum, bytes) => sum + bytes, 0));
    console.log(`round ${round}: ${tally.visits} visits, heaps ${megabytes(heaps.at(-1))} MB`);
  }
  tally.wrong.push(...findGrowth(heaps));
  await viewer.close();
  const { faults, validated, sent } = scene.simulator.stats();
  await scene.close();
  await endHosts(hosts);
  await redis.close();
  summarise(tally, { faults, validated, sent });
  return tally.wrong.length === 0 ? 0 : 1;
}

async function visitUntil(
  ends: number,
  scene: Scene,
  tally: Tally,
  random: () => number,
): Promise<void> {
  while (Date.now() < ends) {
    const user = scene.users[tally.visits];
    if (user === undefined) throw new Error('more visits than people: raise PEOPLE');
    tally.visits += 1;
    // A visit makes about two of these calls.
    maybeFail(scene.simulator, FAULT_RATE * 2, random);
    const visit = pick(VISITS, random);
    const visitor = {
      browser: scene.browser(),
      userId: user.id,
      url: () => pick(scene.urls, random),
      code: () => scene.witness.pinOf(user.phone),
    };
    await visit(visitor).then(
      (result) => count(tally, user.id, result),
      (error: unknown) => countCut(tally, error),
    );
  }
}

function count(tally: Tally, userId: string, { answers, wrong }: VisitResult): void {
  for (const { status, body } of answers) {
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    if (body.verified === true) tally.passed += 1;
  }
  if (wrong !== null) tally.wrong.push(`${userId}: ${wrong}`);
}

/**
 * A server may close a connection that rested too long at the moment it is used again. Anything
 * else is a fault of ours.
 */
function countCut(tally: Tally, error: unknown): void {
  const isCut = error instanceof Error && 'code' in error && CUTS.has(String(error.code));
  if (!isCut) throw error;
  tally.cut += 1;
}

async function restartRedis(redis: { restart(): Promise<void> }, afterMs: number): Promise<void> {
  await pause(afterMs);
  await redis.restart();
}

/** What no fault of a server explains. */
function isBug(error: string): boolean {
  return /^(Type|Range|Reference|Syntax)Error/.test(error);
}

function findGrowth(heaps: readonly number[]): string[] {
  const [first = 0, last = 0] = [heaps[0], heaps.at(-1)];
  const most = Math.max(first * (1 + FLAT_WITHIN.share), first + FLAT_WITHIN.bytes);
  return last <= most ? [] : [`the heaps grew from ${megabytes(first)} to ${megabytes(last)} MB`];
}

function summarise(
  { visits, cut, passed, statuses, wrong }: Tally,
  gateway: { readonly faults: number; readonly validated: number; readonly sent: number },
): void {
  const answers = Array.from(statuses)
    .sort(([one], [other]) => one - other)
    .map(([status, times]) => `${status}: ${times}`);
  console.log(
    `${visits} visits in ${SECONDS} s, ${passed} passed both factors, ${cut} connections cut (seed ${SEED})`,
  );
  console.log(`answers by status  ${answers.join(', ')}`);
  console.log(
    `gateway            ${gateway.sent} texts, ${gateway.validated} codes right, ${gateway.faults} faults`,
  );
  console.log(`wrong outcomes     ${wrong.length}`);
  for (const line of wrong.slice(0, 20)) console.log(`  ${line}`);
}

function megabytes(bytes = 0): string {
  return (bytes / MEGABYTE).toFixed(1);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
