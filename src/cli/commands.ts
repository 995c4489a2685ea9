import type { Command } from './command';
import { balance } from './commands/balance';
import { doctor } from './commands/doctor';
import { enable } from './commands/enable';
import { lookup } from './commands/lookup';
import { pricing } from './commands/pricing';
import { send } from './commands/send';
import { simulate } from './commands/simulate';
import { unlock } from './commands/unlock';
import { validate } from './commands/validate';

/** Every command, in the order of the overview. */
export const COMMANDS: readonly Command[] = [
  simulate,
  doctor,
  balance,
  pricing,
  lookup,
  send,
  validate,
  unlock,
  enable,
];
