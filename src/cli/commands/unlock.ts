import { keysOfUser } from '../../limits/limits';
import { guardStore } from '../../stores/guarded-store';
import { type Command, type CommandCall, type ExitCode, JSON_OPTION } from '../command';
import { cleanText } from '../output/screen';
import { openState, STATE_OPTIONS } from '../state/open-state';

/** A user's failures, and what may be done about them. */
export interface UserFailures {
  readonly user: string;
  readonly place: 'Redis' | 'PostgreSQL';
  readonly failures: number;
  /** 0: not locked. */
  readonly lockedSeconds: number;
  unlock(): Promise<void>;
  clear(): Promise<void>;
}

/** Runs something with the failures of the user named first, and closes the store. */
async function withFailures<Result>(
  call: CommandCall,
  use: (found: UserFailures) => Promise<Result>,
): Promise<Result> {
  const user = call.args.positionals[0] ?? '';
  const key = keysOfUser(user).failures;
  const state = await openState(call);
  try {
    const { counters } = guardStore(state.store);
    const { counts } = await counters.charge([{ key, windowSeconds: null, isOnlyRead: true }]);
    return await use({
      user: cleanText(user),
      place: state.place,
      failures: counts[0]?.count ?? 0,
      lockedSeconds: counts[0]?.lockedSeconds ?? 0,
      unlock: () => counters.lock(key, 0),
      clear: () => counters.clear([key]),
    });
  } finally {
    await state.close();
  }
}

/** "10 failures, locked for 30 more minutes". */
function describeFailures({ failures, lockedSeconds }: UserFailures): string {
  const count = failures === 1 ? '1 failure' : `${failures} failures`;
  if (lockedSeconds === 0) return `${count}, no lock`;
  const minutes = Math.ceil(lockedSeconds / 60);
  return `${count}, locked for ${minutes} more minute${minutes === 1 ? '' : 's'}`;
}

export const unlock: Command = {
  name: 'unlock',
  summary: 'lift the lock of a user who entered too many wrong codes',
  positionals: ['<user>'],
  options: { ...STATE_OPTIONS, ...JSON_OPTION },
  notes: [
    'The user is named by the id that getUserId gives. Failures stay counted: the next lock comes as it would have.',
    'A user whose codes are disabled needs enable.',
  ],
  run: (call) =>
    withFailures<ExitCode>(call, async (found) => {
      const { user, place, failures, lockedSeconds } = found;
      await found.unlock();
      if (call.args.isOn('json')) {
        call.screen.json({ user, place, failures, lockedSeconds, unlocked: lockedSeconds > 0 });
        return 0;
      }
      const { green, dim } = call.screen.style;
      call.screen.line(
        `${green('unlocked')}  ${user}  ${dim(`was: ${describeFailures(found)}, in ${place}`)}`,
      );
      if (lockedSeconds === 0) call.screen.note('There was no lock; look at the id and the prefix.');
      return 0;
    }),
};

export const enable: Command = {
  name: 'enable',
  summary: 'let a user have codes again whose codes were disabled',
  positionals: ['<user>'],
  options: { ...STATE_OPTIONS, ...JSON_OPTION },
  notes: [
    'The user is named by the id that getUserId gives. All failures are forgotten, and a lock with them.',
    'Do it when the number was bound to the user anew, not when somebody asks by e-mail.',
  ],
  run: (call) =>
    withFailures<ExitCode>(call, async (found) => {
      const { user, place, failures, lockedSeconds } = found;
      await found.clear();
      if (call.args.isOn('json')) {
        call.screen.json({ user, place, failures, lockedSeconds, enabled: true });
        return 0;
      }
      const { green, dim } = call.screen.style;
      call.screen.line(
        `${green('enabled')}  ${user}  ${dim(`was: ${describeFailures(found)}, in ${place}`)}`,
      );
      if (failures === 0) call.screen.note('There were no failures; look at the id and the prefix.');
      return 0;
    }),
};
