import { Foresight } from './foresight';
import {
  areIndependent,
  type Asked,
  type Mishap,
  MISHAPS,
  type Point,
  type Points,
} from './points';

/**
 * What is explored: a situation that can be brought about again and again, and requests that are
 * under way together.
 */
export interface Subject<Outcome> {
  /** Brings the situation about. */
  readonly prepare: () => Promise<void>;
  /**
   * Starts the requests of each actor, by the actor's name. The promises end when the last one is
   * answered, or its process has crashed, and never reject.
   */
  readonly start: () => ReadonlyMap<string, Promise<unknown>>;
  /** Looks at what is left, after the last answer. */
  readonly observe: (run: Run) => Promise<Outcome>;
}

/** One order that was tried. */
export interface Run {
  /**
   * The calls in their order: `resend:session.get`, with `!fail`, `!lost` or `!crash` where one
   * went wrong.
   */
  readonly path: readonly string[];
  /** Requests whose process has crashed. */
  readonly crashed: ReadonlySet<string>;
}

export interface Tried<Outcome> extends Run {
  readonly outcome: Outcome;
}

export interface SearchOptions {
  /**
   * How often a request that could go on is left for another one. Default: as often as possible,
   * which is complete.
   */
  readonly mostPreemptions?: number;
  /** How many calls go wrong in one order, in every way. Default 0. */
  readonly mostMishaps?: number;
  /**
   * Whether orders are left out that differ only in calls that share nothing. Needs all preemptions
   * and no mishaps. Default true.
   */
  readonly isReduced?: boolean;
}

/**
 * Milliseconds after which a request without a call and without an answer is stuck. Many, because a
 * digest of another thread takes longer the busier the machine is.
 */
const STUCK_MS = 60_000;

/**
 * Tries the orders of all calls, depth first and without a memory of its own: each run repeats a
 * prefix of choices and then goes on with the request that ran last, and each step behind the
 * prefix leaves its other choices for later runs.
 */
export async function* explore<Outcome>(
  points: Points,
  subject: Subject<Outcome>,
  options: SearchOptions = {},
): AsyncGenerator<Tried<Outcome>> {
  const isReduced = options.isReduced !== false && isComplete(options);
  const branches: Branch[] = [{ prefix: [], asleep: [] }];
  const foresight = new Foresight();
  for (let branch = branches.pop(); branch !== undefined; branch = branches.pop()) {
    if (isReduced && leavesOff(foresight, branch, branches)) continue;
    const search = new Search(branch, isReduced ? undefined : options, branches);
    const run = await runOrder(
      points,
      subject,
      (waiting) => search.choose(waiting),
      isReduced ? foresight : undefined,
    );
    if (run !== null) yield run;
  }
}

/**
 * Returns whether the run of a branch is known to leave off before its end. What it leaves for
 * later runs is left all the same.
 */
function leavesOff(foresight: Foresight, branch: Branch, branches: Branch[]): boolean {
  const left: Branch[] = [];
  const search = new Search(branch, undefined, left);
  if (!foresight.leavesOff((waiting) => search.choose(waiting)?.point ?? null)) return false;
  branches.push(...left);
  return true;
}

/** Repeats one order, and then goes on with the request that ran last. */
export async function repeat<Outcome>(
  points: Points,
  subject: Subject<Outcome>,
  prefix: readonly string[],
): Promise<Tried<Outcome>> {
  const search = new Search({ prefix, asleep: [] }, undefined, []);
  const run = await runOrder(points, subject, (waiting) => search.choose(waiting));
  if (run === null) throw new Error('the order has no end');
  return run;
}

/** Lets the requests run whole, one after the other. */
export async function runInTurn<Outcome>(
  points: Points,
  subject: Subject<Outcome>,
  turns: readonly string[],
): Promise<Tried<Outcome>> {
  const run = await runOrder(points, subject, (waiting) => {
    const next = turns.find((turn) => waiting.some(({ request }) => request === turn));
    const point = waiting.find(({ request }) => request === next);
    return point === undefined ? null : { point };
  });
  if (run === null) throw new Error('a call of no request waits');
  return run;
}

function isComplete({ mostPreemptions = Infinity, mostMishaps = 0 }: SearchOptions): boolean {
  return mostPreemptions === Infinity && mostMishaps === 0;
}

/** A prefix that is yet to be tried. */
interface Branch {
  readonly prefix: readonly string[];
  /**
   * Calls that another branch begins with: until something happens that they depend on, that branch
   * has it all.
   */
  readonly asleep: readonly Asked[];
}

interface Choice<Call extends Asked> {
  readonly point: Call;
  readonly mishap?: Mishap;
}

/** The choices of one run. Leaves the other choices of each new step as branches. */
class Search {
  private readonly path: string[] = [];
  private asleep: Branch['asleep'];
  private last: string | undefined;
  private preemptions = 0;
  private mishaps = 0;

  /** @param options Undefined: complete, with sleeping calls left out. */
  constructor(
    private readonly branch: Branch,
    private readonly options: SearchOptions | undefined,
    private readonly branches: Branch[],
  ) {
    this.asleep = branch.asleep;
  }

  /** Returns null when every order that begins like this is tried elsewhere. */
  choose<Call extends Asked>(waiting: readonly Call[]): Choice<Call> | null {
    const step = this.path.length;
    const wanted = this.branch.prefix[step];
    if (wanted !== undefined) return this.go(waiting, findChoice(waiting, wanted));
    // Where a call that shares nothing comes makes no difference.
    const free = waiting.find(({ touches }) => touches.length === 0);
    const awake = (free === undefined ? this.sort(waiting) : [free]).filter(
      ({ label }) => !this.asleep.some((sleeper) => sleeper.label === label),
    );
    const [first, ...others] = awake;
    if (first === undefined) return null;
    if (this.options === undefined) this.branchReduced(awake);
    else this.branchBounded(this.options, first, others);
    this.asleep = this.asleep.filter((sleeper) => areIndependent(sleeper, first));
    return this.go(waiting, { point: first });
  }

  /** The calls of the request that ran last come first. */
  private sort<Call extends Asked>(waiting: readonly Call[]): readonly Call[] {
    const isLast = ({ request }: Asked): number => Number(request === this.last);
    return waiting.toSorted((one, other) => isLast(other) - isLast(one));
  }

  private branchReduced(awake: readonly Asked[]): void {
    awake.forEach((point, index) => {
      if (index === 0) return;
      const before = [...this.asleep, ...awake.slice(0, index)];
      this.branches.push({
        prefix: [...this.path, point.label],
        asleep: before.filter((sleeper) => areIndependent(sleeper, point)),
      });
    });
  }

  private branchBounded(
    { mostPreemptions = Infinity, mostMishaps = 0 }: SearchOptions,
    first: Asked,
    others: readonly Asked[],
  ): void {
    const push = (label: string): void =>
      void this.branches.push({ prefix: [...this.path, label], asleep: [] });
    const mayGoWrong = this.mishaps < mostMishaps;
    for (const point of [first, ...others]) {
      const isPreempted = point.request !== first.request && first.request === this.last;
      if (isPreempted && this.preemptions >= mostPreemptions) continue;
      if (point !== first) push(point.label);
      if (mayGoWrong) for (const mishap of MISHAPS) push(`${point.label}!${mishap}`);
    }
  }

  private go<Call extends Asked>(waiting: readonly Call[], choice: Choice<Call>): Choice<Call> {
    const { point, mishap } = choice;
    const isPreempted =
      point.request !== this.last && waiting.some(({ request }) => request === this.last);
    this.preemptions += Number(isPreempted);
    this.mishaps += Number(mishap !== undefined);
    this.last = point.request;
    this.path.push(toStep(choice));
    return choice;
  }
}

function toStep({ point, mishap }: Choice<Asked>): string {
  return mishap === undefined ? point.label : `${point.label}!${mishap}`;
}

function findChoice<Call extends Asked>(waiting: readonly Call[], wanted: string): Choice<Call> {
  const [label, mishap] = wanted.split('!');
  const point = waiting.find((candidate) => candidate.label === label);
  if (point === undefined) {
    const there = waiting.map((candidate) => candidate.label).join(' ') || 'nothing';
    throw new Error(`the order cannot be repeated: ${wanted} is not there, but ${there}`);
  }
  // What follows the exclamation mark was written by this file, or by who repeats an order by hand.
  return mishap === undefined ? { point } : { point, mishap: mishap as Mishap };
}

async function runOrder<Outcome>(
  points: Points,
  { prepare, start, observe }: Subject<Outcome>,
  choose: (waiting: readonly Point[]) => Choice<Point> | null,
  foresight?: Foresight,
): Promise<Tried<Outcome> | null> {
  points.reset();
  await prepare();
  points.start();
  const started = start();
  const history = foresight?.begin([...started.keys()]);
  const busy = new Set(started.keys());
  const crashed = new Set<string>();
  const path: string[] = [];
  for (const [actor, end] of started) void end.then(() => busy.delete(actor));
  for (;;) {
    await settle(points, busy);
    const waiting = points.list();
    history?.see(waiting);
    if (waiting.length === 0) break;
    const choice = choose(waiting);
    if (choice === null) return null;
    const { point, mishap } = choice;
    path.push(toStep(choice));
    history?.add(point);
    points.take(point);
    if (mishap === 'crash') {
      points.drop(point.request);
      crashed.add(point.request);
    }
    point.proceed(mishap);
    // Its request may go on although another of its calls waits.
    if (points.list().some(({ request }) => request === point.request)) await nextTurn();
  }
  points.stop();
  return { path, crashed, outcome: await observe({ path, crashed }) };
}

/** Waits until every actor is at the end, or has a call that waits. */
async function settle(points: Points, actors: ReadonlySet<string>): Promise<void> {
  const giveUpAt = performance.now() + STUCK_MS;
  while (performance.now() < giveUpAt) {
    await nextTurn();
    if (points.isBusy) continue;
    const busy = Array.from(actors).filter(
      (name) => !points.list().some(({ actor }) => actor === name),
    );
    if (busy.length === 0) return;
  }
  throw new Error(`no answer and no call: ${Array.from(actors).join(', ')}`);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
