import { DAY_SECONDS, failureKeys, OTHER_BROWSERS, readKeys, slowKey } from '../../limits/failures';
import { fillBrowsers, liftLimits } from '../../limits/limits';
import { sendKeys } from '../../limits/limits';
import { type GuardedStore, guardStore } from '../../stores/guarded-store';
import { cleanText, type Command, type CommandCall, type ExitCode, JSON_OPTION, showResult } from '../command';
import { CommandFailure } from '../failures';
import { openState, STATE_OPTIONS } from '../open-state';

/** The app's own factors are not known here. */
const METHODS = ['sms'];

/** The longest `knownBrowsers.maxAgeDays`. */
const LONGEST_BROWSER_LIFE_SECONDS = 365 * DAY_SECONDS;

/** The failures of both sides come first. */
function lockKeys(user: string): readonly string[] {
  return [...failureKeys(user, METHODS, OTHER_BROWSERS), slowKey(user)];
}

/** A user's failure counter before it was changed. */
interface Failures {
  readonly failures: number;
  /** 0: not locked. */
  readonly lockedSeconds: number;
}

/** What tells the two commands apart. */
interface CounterCommand extends Pick<Command, 'name' | 'summary' | 'notes'> {
  /** The word for a change that was made. */
  readonly done: 'unlocked' | 'enabled';
  readonly change: (store: GuardedStore, user: string, browserIds: readonly string[]) => Promise<unknown>;
  /** Returns the note for a user of whom there was nothing to change, or null. */
  readonly noteOn: (before: Failures) => string | null;
}

export const unlock = createCounterCommand({
  name: 'unlock',
  summary: 'lift the lock of a user who entered too many wrong codes',
  notes: [
    'The user is named by the id that getUserId returns. Failures stay counted: the next lock comes as it would have.',
    'A user whose codes are disabled needs enable.',
  ],
  done: 'unlocked',
  change: ({ counters }, user, browserIds) => liftLimits(counters, user, METHODS, browserIds),
  noteOn: ({ lockedSeconds }) => (lockedSeconds === 0 ? 'There was no lock.' : null),
});

export const enable = createCounterCommand({
  name: 'enable',
  summary: 'enable codes again for a user whose codes were disabled',
  notes: [
    'The user is named by the id that getUserId returns. All failures are forgotten, and a lock with them.',
    'Do it after you have verified the number again, not because an e-mail asks for it.',
  ],
  done: 'enabled',
  change: async ({ counters, browsers }, user) => {
    await fillBrowsers(counters, user, (await browsers?.forget(user)) ?? [], LONGEST_BROWSER_LIFE_SECONDS);
    await counters.clear(lockKeys(user));
  },
  noteOn: ({ failures }) => (failures === 0 ? 'There were no failures.' : null),
});

function createCounterCommand({ done, change, noteOn, ...about }: CounterCommand): Command {
  async function run(call: CommandCall): Promise<ExitCode> {
    const id = call.args.positionals[0] ?? '';
    const state = await openState(call);
    try {
      const store = guardStore(state.store);
      const browserIds = ((await store.browsers?.list(id)) ?? []).map(({ browserId }) => browserId);
      const keys = [...lockKeys(id), ...sendKeys(id, browserIds)];
      const { counts } = await store.counters.charge(readKeys(keys));
      if (browserIds.length === 0 && counts.every(({ count }) => count === 0)) {
        throw new CommandFailure('Nothing is counted of this user.', 'Check the id and the prefix.');
      }
      const locks = counts.slice(0, lockKeys(id).length);
      const before = {
        failures: (counts[0]?.count ?? 0) + (counts[1]?.count ?? 0),
        lockedSeconds: Math.max(...locks.map(({ lockedSeconds }) => lockedSeconds)),
      };
      await change(store, id, browserIds);
      show(call, cleanText(id), state.place, before);
      return 0;
    } finally {
      await state.close();
    }
  }

  function show(call: CommandCall, user: string, place: string, before: Failures): void {
    const note = noteOn(before);
    const { line, style } = call.output;
    showResult(call, { user, place, ...before, [done]: done === 'enabled' || note === null }, () => {
      const was = `was: ${describeFailures(before)}, in ${place}`;
      line(`${style('green', done)}  ${user}  ${style('dim', was)}`);
      if (note !== null) call.output.note(note);
    });
  }

  return { ...about, positionals: ['<user>'], options: { ...STATE_OPTIONS, ...JSON_OPTION }, run };
}

/** "10 failures, locked for 30 more minutes". */
function describeFailures({ failures, lockedSeconds }: Failures): string {
  const count = failures === 1 ? '1 failure' : `${failures} failures`;
  if (lockedSeconds === 0) return `${count}, no lock`;
  const minutes = Math.ceil(lockedSeconds / 60);
  return `${count}, locked for ${minutes} more minute${minutes === 1 ? '' : 's'}`;
}
