import { type Command, type ExitCode, JSON_OPTION } from '../command';
import { describeFailures, withFailures } from '../state/failures-of';
import { STATE_OPTIONS } from '../state/state-options';

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
