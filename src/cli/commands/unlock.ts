import { readKeys } from '../../limits/charge';
import { enableCodes, liftLimits, sumCounts } from '../../limits/lift';
import { limitsSchema } from '../../limits/options';
import { createLimitTable, type LimitTable } from '../../limits/rows';
import { type GuardedStore, guardStore } from '../../stores/guarded-store';
import { type Command, type CommandCall, type ExitCode, JSON_OPTION } from '../command';
import { CommandFailure } from '../failures';
import { openState, STATE_OPTIONS } from '../open-state';

/**
 * Returns the table of limits, to find the keys of a user's counters. The keys do not depend on the
 * app's options. The app's own factors are not known here.
 */
function readLimits(): LimitTable {
  const settings = { limits: limitsSchema.parse({}), hasKnownBrowsers: true, gapSeconds: 30 };
  return createLimitTable(settings, ['sms']);
}

export const unlock: Command = {
  name: 'unlock',
  summary: 'lift the locks of a user and the limits on messages',
  positionals: ['<user>'],
  options: {
    enable: { help: 'also enable disabled codes: clears failures, makes all browsers unknown' },
    ...STATE_OPTIONS,
    ...JSON_OPTION,
  },
  notes: [
    'The user is named by the id that getUserId returns, the store by REDIS_URL or DATABASE_URL.',
    'Use --enable after you have verified the number again, not because an e-mail asks for it.',
  ],
  async run(call) {
    const state = await openState(call);
    try {
      const store = guardStore(state.store, Date.now);
      const user = call.args.positionals[0] ?? '';
      const result = await unlockUser(store, user, call.args.isOn('enable'));
      return show(call, { ...result, place: state.place });
    } finally {
      await state.close();
    }
  },
};

/** The counts of the user before, and what was done. */
interface Unlocked {
  readonly user: string;
  readonly failures: number;
  readonly lockedSeconds: number;
  readonly sends: number;
  readonly unlocked: boolean;
  readonly enabled: boolean;
}

async function unlockUser(
  store: GuardedStore,
  user: string,
  isEnabling: boolean,
): Promise<Unlocked> {
  const limits = readLimits();
  const counts = await readCounts(store, limits, user);
  const { browserIds, failures, lockedSeconds, liftable } = counts;
  if (!isEnabling && lockedSeconds === 0 && liftable === 0) {
    throw new CommandFailure(
      'There is nothing to lift: no lock, and no message counted.',
      adviseOnFailures(failures),
    );
  }

  const { sends } = await liftLimits(store.counters, limits, user, browserIds);
  if (isEnabling) await enableCodes(store, limits, user, Date.now());

  const unlocked = lockedSeconds > 0;
  return { user, failures, lockedSeconds, sends, unlocked, enabled: isEnabling };
}

/** @throws {CommandFailure} if nothing is counted for the user. */
async function readCounts(store: GuardedStore, limits: LimitTable, user: string) {
  const { counters } = store;
  const browserIds = (await store.browsers.list(user)).map(({ browserId }) => browserId);
  const failures = await sumCounts(counters, limits.keysNamed('failures', user));
  const lockNames = limits.keysClearedBy('lift-lock', user);
  const countOf = await readKeys(counters, lockNames);
  const locks = lockNames.map(countOf);
  const liftable = await sumCounts(counters, limits.keysClearedBy('unlock', user, browserIds));

  const isUnknown = failures === 0 && locks.every(({ count }) => count === 0);
  if (browserIds.length === 0 && liftable === 0 && isUnknown)
    throw new CommandFailure('Nothing is counted for this user.', 'Check the id and the prefix.');
  const lockedSeconds = Math.max(...locks.map((lock) => lock.lockedSeconds));
  return { browserIds, failures, lockedSeconds, liftable };
}

function show(
  call: CommandCall,
  result: Unlocked & { readonly place: 'Redis' | 'PostgreSQL' },
): ExitCode {
  const { output } = call;
  const { user, failures, unlocked, enabled, place } = result;

  call.showResult(result, () => {
    const was = output.style('dim', `was: ${describe(result)}, in ${place}`);
    output.line(`${output.style('green', enabled ? 'enabled' : 'unlocked')}  ${user}  ${was}`);
    if (enabled && failures === 0) output.note('There were no failures.');
    if (!enabled && !unlocked) output.note('There was no lock. The limits on messages are lifted.');
    if (!enabled && failures > 0) output.note(adviseOnFailures(failures));
  });
  return 0;
}

/**
 * Returns the advice for failures. An option of the app, which is not known here, decides whether
 * they disable codes.
 */
function adviseOnFailures(failures: number): string {
  const advice = 'If they have disabled codes, verify the number again, then add --enable.';
  return `Failures that stay counted: ${failures}. ${advice}`;
}

function countNoun(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** Describes the counts: "10 failures, locked for 30 more minutes, 4 messages counted". */
function describe(result: Unlocked): string {
  const minutes = Math.ceil(result.lockedSeconds / 60);
  const lock = minutes === 0 ? 'no lock' : `locked for ${countNoun(minutes, 'more minute')}`;
  const texts = result.sends > 0 ? [`${countNoun(result.sends, 'message')} counted`] : [];
  return [countNoun(result.failures, 'failure'), lock, ...texts].join(', ');
}
