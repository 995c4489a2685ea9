import { readKeys } from '../../limits/charge';
import { enableCodes, liftLimits, sumCounts } from '../../limits/lift';
import { attemptKeys, liftableKeys, lockKeys } from '../../limits/user-keys';
import { type GuardedStore, guardStore } from '../../stores/guarded-store';
import { type Command, type CommandCall, type ExitCode, JSON_OPTION } from '../command';
import { CommandFailure } from '../failures';
import { openState, STATE_OPTIONS } from '../open-state';

const STATE_NOTE = 'The store is the one of REDIS_URL or DATABASE_URL. One of them must be set.';

/** The app's own factors are not known here. */
const METHODS = ['sms'];

/** What tells the two commands apart. */
interface CounterCommand extends Pick<Command, 'name' | 'summary' | 'notes'> {
  /** The word for a change that was made. */
  readonly done: 'unlocked' | 'enabled';
  /** Resolves to what else was lifted. */
  readonly change: (
    store: GuardedStore,
    user: string,
    browserIds: readonly string[],
  ) => Promise<{ sends?: number }>;
  /** Shown when there was no lock, or no failure. */
  readonly note: string;
}

export const unlock = createCounterCommand({
  name: 'unlock',
  summary: 'lift the locks and send budgets of a user',
  notes: [
    'The user is named by the id that getUserId returns. Failures stay counted: the next lock ' +
      'comes as it would have.',
    'A user whose codes are disabled needs enable.',
    STATE_NOTE,
  ],
  done: 'unlocked',
  change: async ({ counters }, user, browserIds) => {
    const { sends } = await liftLimits(counters, user, METHODS, browserIds);
    return { sends };
  },
  note: 'There was no lock. The send budgets are lifted.',
});

export const enable = createCounterCommand({
  name: 'enable',
  summary: 'enable codes again for a user whose codes were disabled',
  notes: [
    'The user is named by the id that getUserId returns. All failures are forgotten, and a lock ' +
      'with them.',
    'Do it after you have verified the number again, not because an e-mail asks for it.',
    STATE_NOTE,
  ],
  done: 'enabled',
  change: async (store, user) => {
    await enableCodes(store, user, METHODS, Date.now());
    return {};
  },
  note: 'There were no failures.',
});

function createCounterCommand({ done, change, note, ...about }: CounterCommand): Command {
  async function run(call: CommandCall): Promise<ExitCode> {
    const id = call.args.positionals[0] ?? '';
    const state = await openState(call);
    try {
      const store = guardStore(state.store, Date.now);
      const browserIds = (await store.browsers.list(id)).map(({ browserId }) => browserId);
      const { counters } = store;
      const failures = await sumCounts(counters, attemptKeys(id));
      const lockNames = lockKeys(id, METHODS);
      const countOf = await readKeys(counters, lockNames);
      const locks = lockNames.map(countOf);
      const liftable = await sumCounts(counters, liftableKeys(id, browserIds));
      const isUnknown = failures === 0 && locks.every(({ count }) => count === 0);
      if (browserIds.length === 0 && liftable === 0 && isUnknown) {
        throw new CommandFailure(
          'Nothing is counted for this user.',
          'Check the id and the prefix.',
        );
      }
      const lockedSeconds = Math.max(...locks.map((lock) => lock.lockedSeconds));
      if (done === 'unlocked' && lockedSeconds === 0 && liftable === 0)
        throw nothingToLift(failures);
      const before = { failures, lockedSeconds, ...(await change(store, id, browserIds)) };
      const isChanged = done === 'enabled' ? failures > 0 : lockedSeconds > 0;
      const result = {
        user: id,
        place: state.place,
        ...before,
        [done]: done === 'enabled' || isChanged,
      };
      const { output } = call;
      call.showResult(result, () => {
        const was = output.style('dim', `was: ${describe(before)}, in ${state.place}`);
        output.line(`${output.style('green', done)}  ${result.user}  ${was}`);
        if (!isChanged) output.note(note);
      });
      return 0;
    } finally {
      await state.close();
    }
  }

  return { ...about, positionals: ['<user>'], options: { ...STATE_OPTIONS, ...JSON_OPTION }, run };
}

function nothingToLift(failures: number): CommandFailure {
  return new CommandFailure(
    'There is nothing to lift: no lock, and no text counted.',
    `Failures that stay counted: ${failures}. If they have disabled codes: enable.`,
  );
}

function countNoun(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** "10 failures, locked for 30 more minutes, 4 texts counted". */
function describe(before: { failures: number; lockedSeconds: number; sends?: number }): string {
  const minutes = Math.ceil(before.lockedSeconds / 60);
  const lock = minutes === 0 ? 'no lock' : `locked for ${countNoun(minutes, 'more minute')}`;
  const texts = before.sends ? [`${countNoun(before.sends, 'text')} counted`] : [];
  return [countNoun(before.failures, 'failure'), lock, ...texts].join(', ');
}
