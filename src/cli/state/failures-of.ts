import { keysOfUser } from '../../policies/limits';
import { guardStore } from '../../stores/guarded-store';
import type { CommandCall } from '../command';
import { cleanText } from '../screen/clean-text';
import { openState } from './open-state';

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
export async function withFailures<Result>(
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
export function describeFailures({ failures, lockedSeconds }: UserFailures): string {
  const count = failures === 1 ? '1 failure' : `${failures} failures`;
  if (lockedSeconds === 0) return `${count}, no lock`;
  const minutes = Math.ceil(lockedSeconds / 60);
  return `${count}, locked for ${minutes} more minute${minutes === 1 ? '' : 's'}`;
}
