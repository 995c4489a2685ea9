import { jest } from '@jest/globals';
import type { Counter, SmsOtpEvent } from 'passport-sms-otp';
import { type Act, type ActName, ACTS, APPS, startWorld, type World } from './feature-acts';
import { type Fault, findFeatures, type FinishFault, watchFeatures } from './real-features';
import type { TestApp, TestAppOptions } from './test-app';
import type { Starter } from './stage';

/** What is left after an act. */
export interface Outcome {
  /** The status with the reason or the code of the error; for an operator what the call gave. */
  readonly answer: string;
  /** The pending login that began last. */
  readonly pending: 'none' | 'active' | 'passed' | 'ended';
  /** Whether a session names a user who has passed a second factor, or needs none. */
  readonly session: 'out' | 'in' | 'in, no mark';
  /** The records of the user: logins, known browsers, trusted devices. */
  readonly records: readonly [logins: number, browsers: number, devices: number];
  /** The attempts that are counted: of the lock, of slow guessing, of what disables, by address. */
  readonly guesses: readonly [lock: number, slow: number, disable: number, address: number];
  /** The messages that are counted: of the user, the user's total, in all. */
  readonly sends: readonly [user: number, total: number, inAll: number];
  /** The events of the act that are not those of every call, each with what it is about. */
  readonly told: readonly string[];
  /** The codes of the warnings. */
  readonly warned: readonly string[];
}

/** The call of a feature that goes wrong, or how the store ends the step that writes a success. */
export type Disturbed = { readonly call: string; readonly fault: Fault } | FinishFault;

interface Tried {
  readonly outcome: Outcome;
  /** How often something went wrong. */
  readonly hits: number;
  /** The calls of features during the act, with the calls of the store that each has used. */
  readonly called: ReadonlySet<string>;
  readonly used: ReadonlyMap<string, ReadonlySet<string>>;
  /** All calls that the features have. */
  readonly known: ReadonlySet<string>;
}

/** Does something in an app of its own while one call of a feature goes wrong. */
export async function tryOut(
  apps: Starter<TestApp, TestAppOptions>,
  name: ActName,
  disturbed?: Disturbed,
): Promise<Tried> {
  const act: Act = ACTS[name];
  const world = await startActing(apps, act);
  const { test } = world;
  const watched = watchFeatures(findFeatures(), test.tampered);
  await act.before?.(world);

  watched.called.clear();
  watched.used.clear();
  const from = test.events.length;
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const finish = typeof disturbed === 'string' ? disturbed : act.finish;
  if (finish !== undefined) watched.breakFinish(finish);
  if (typeof disturbed === 'object') watched.disturb(disturbed.call, disturbed.fault);
  const answer = await act.act(world);
  // What runs beside the request, such as the settling of a policy, has ended by then.
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  const called = new Set(watched.called);
  const used = new Map(watched.used);
  const hits = watched.calm();
  const told = test.events.slice(from).flatMap(describeEvent);
  const warned = emitWarning.mock.calls.map(([, options]) => codeOf(options));
  emitWarning.mockRestore();
  test.sessions.failSets = false;
  const outcome = { answer, ...(await look(world)), told, warned };
  return { outcome, hits, called, used, known: watched.known };
}

async function startActing(apps: Starter<TestApp, TestAppOptions>, act: Act): Promise<World> {
  const given: TestAppOptions = APPS[act.app];
  const options = { ...given.options, ...act.options };
  return startWorld(await apps.start({ ...given, options }));
}

function codeOf(options: unknown): string {
  return String((options as { readonly code?: unknown } | undefined)?.code);
}

/** The events that tell of every call, and of messages that were sent. */
const USUAL: readonly string[] = [
  'store-call',
  'decision-ended',
  'gateway-call',
  'token-renewed',
  'sent',
];

function describeEvent(event: SmsOtpEvent): string[] {
  const { type, reason, operation, failures, decision } = event as SmsOtpEvent &
    Partial<Record<'reason' | 'operation' | 'failures' | 'decision', string | number>>;
  if (USUAL.includes(type) || decision === 'allow') return [];
  const about = reason ?? operation ?? failures;
  return [about === undefined ? type : `${type} ${about}`];
}

async function look(world: World): Promise<Omit<Outcome, 'answer' | 'told' | 'warned'>> {
  const { test, alice } = world;
  const { store } = test;
  const count = await readCounts(test);
  const list = async (kind: string): Promise<number> =>
    (await store.records.list({ kind, owner: 'alice' })).length;
  const records = [await list('login'), await list('browser'), await list('device')] as const;
  const pending = await findPending(test);
  const { body } = await alice.status();
  const isIn = body.isAuthenticated === true;
  const session = body.hasSecondFactor === true ? 'in' : isIn ? 'in, no mark' : 'out';
  return {
    pending,
    session,
    records,
    guesses: [
      count(/^(locks|browser):/),
      count(/^failures:slow:/),
      count(/^failures:(known|others):/),
      count(/^(recovery|answers):address:/),
    ],
    sends: [count(/^sends:day:user:/), count(/^sends:all:/), count(/^sends:total$/)],
  };
}

async function findPending({ tampered }: TestApp): Promise<Outcome['pending']> {
  const begun = tampered.calls.findLast(({ call }) => call === 'begin');
  const { pendingId } = (begun?.given[0] ?? {}) as { readonly pendingId?: string };
  if (pendingId === undefined) return 'none';
  const found = await tampered.store.pendingLogins.find(pendingId);
  if (found === 'passed') return 'passed';
  return found === null ? 'ended' : 'active';
}

/** Reads what is counted under all keys that were ever charged. */
async function readCounts({ tampered }: TestApp): Promise<(fitting: RegExp) => number> {
  const charged = tampered.calls.flatMap(({ call, given: [first] }) =>
    call === 'charge' ? (first as readonly Counter[]) : [],
  );
  const keys = [...new Set(charged.map(({ key }) => key))];
  const reads = keys.map((key) => ({ key, windowSeconds: null, amount: 0, isOnlyRead: true }));
  const { counts } = await tampered.store.counters.charge(reads);
  return (fitting) =>
    keys.reduce((sum, key, at) => sum + (fitting.test(key) ? (counts[at]?.count ?? 0) : 0), 0);
}
