import {
  finite,
  number,
  picklist,
  pipe,
  safeInteger,
  safeParse,
  strictObject,
  type GenericSchema,
} from 'valibot';
import { parseJson } from '../../stores/records';
import type { PolicyTools } from '../policy';
import { judgeBalance, type BalanceAlarms, type BalanceState } from './balance-levels';
import { toMicros } from './micros';
import { SPENT } from './spend-ledger';

/** Looks at the balance now and then, without a timer of its own. */
export interface BalanceWatch {
  /** Reads the balance when it is time to. @throws what store and gateway throw. */
  look(tools: PolicyTools): Promise<void>;
}

const STATE_KEY = 'price-ceiling:balance';
/** Longer than anybody is without a login, and not for ever. */
const STATE_TTL_SECONDS = 40 * 86_400;

const whole = pipe(number(), safeInteger());
const stateSchema = strictObject({
  level: picklist(['good', 'warning', 'critical']),
  balance: whole,
  spent: whole,
  gap: whole,
  burnPerHour: whole,
  at: pipe(number(), finite()),
}) satisfies GenericSchema<BalanceState>;

/**
 * Of all processes that share a store one looks each time. What it saw is a note in the store; a store without notes leaves
 * each process with its own memory, so that several may tell the same.
 */
export function createBalanceWatch(alarms: BalanceAlarms, everySeconds: number): BalanceWatch {
  let nextLookAtMs = -Infinity;
  let own: BalanceState | null = null;
  const turn = { key: `${STATE_KEY}-turn`, windowSeconds: everySeconds, max: 1 };

  return {
    look: async (tools) => {
      const at = tools.now();
      if (at < nextLookAtMs) return;
      nextLookAtMs = at + everySeconds * 1000;
      const { refusedBy, counts } = await tools.counters.charge([turn, { ...SPENT, isOnlyRead: true }]);
      if (refusedBy !== null) {
        // Another process has looked: this one may be the next.
        nextLookAtMs = at + (counts[0]?.resetSeconds ?? everySeconds) * 1000;
        return;
      }
      // Read after the ledger: what is paid in between is explained at the next look.
      const balance = toMicros((await tools.gateway.otp.balance()).balance);
      if (balance === null) return;
      const reading = { balance, spent: counts[1]?.count ?? 0, at };
      const { state, events } = judgeBalance(alarms, (await readState(tools)) ?? own, reading);
      own = state;
      await tools.notes?.write(STATE_KEY, JSON.stringify(state), STATE_TTL_SECONDS);
      for (const event of events) tools.emit(event);
    },
  };
}

async function readState({ notes }: PolicyTools): Promise<BalanceState | null> {
  const parsed = safeParse(stateSchema, parseJson(await notes?.read(STATE_KEY)));
  // A note that cannot be read is no note: the watch begins anew.
  return parsed.success ? parsed.output : null;
}
