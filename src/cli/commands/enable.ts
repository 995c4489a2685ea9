import { type Command, type ExitCode, JSON_OPTION } from '../command';
import { describeFailures, withFailures } from '../state/failures-of';
import { STATE_OPTIONS } from '../state/state-options';

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
