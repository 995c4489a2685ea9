import type { Policy, SmsOtpEvent } from 'passport-sms-otp';
import type { Figure, FigureStore, Series } from './figures';

const MINUTE_MS = 60_000;
const MILLIONTHS = 1_000_000;
/** The balance is requested after a send, at most this often. */
const BALANCE_EVERY_MS = 30_000;

/** Upper bounds in milliseconds: a latency is counted under the first one that it does not exceed. */
export const LATENCY_BOUNDS_MS = [25, 50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800] as const;

/** Turns events into figures. */
export interface Recorder {
  readonly onEvent: (event: SmsOtpEvent) => void;
  /** A policy that allows everything and requests the balance after a message was sent. */
  readonly watchBalance: Policy;
  /** Waits until everything is stored. */
  readonly settle: () => Promise<void>;
}

/** Counts events by the minute. Figures that cannot be stored are lost: an operator's page must not delay a login. */
export function recordEvents(store: FigureStore, now: () => number): Recorder {
  let waiting: Figure[] = [];
  let flight: Promise<void> | null = null;
  let balanceAt = -Infinity;

  function note(series: Series, label: string, amount = 1): void {
    waiting.push({ minute: Math.floor(now() / MINUTE_MS), series, label, amount });
    flight ??= flush().finally(() => (flight = null));
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = addUp(waiting);
      waiting = [];
      await store.add(batch).catch(() => undefined);
    }
  }

  const watchBalance: Policy = {
    name: 'watch-balance',
    stage: 'send',
    check: () => 'allow',
    async settle({ gateway }) {
      if (now() - balanceAt < BALANCE_EVERY_MS) return;
      balanceAt = now();
      const { balance } = await gateway.otp.balance();
      note('balance', '', toMillionths(balance));
    },
  };

  return {
    onEvent: (event) => record(event, note),
    watchBalance,
    settle: async () => {
      while (flight !== null) await flight;
    },
  };
}

type Note = (series: Series, label: string, amount?: number) => void;

function record(event: SmsOtpEvent, note: Note): void {
  if (event.type === 'sent') {
    note('sent', event.country ?? '??');
    if (event.cost !== null) note('cost', '', toMillionths(event.cost));
  } else if (event.type === 'verified' && event.method === 'sms') {
    note('verified', event.country ?? '??');
  } else if (event.type === 'denied') {
    // Of a full limit the reason does not say which one.
    note('denied', event.reason === 'send-limit' && event.limit ? `${event.reason} (${event.limit})` : event.reason);
  } else if (event.type === 'gateway-call' && (event.call === 'generate' || event.call === 'validate')) {
    note('latency', String(LATENCY_BOUNDS_MS.find((bound) => event.durationMs <= bound) ?? Infinity));
  }
}

/** Rounds, which is enough for a plot. */
function toMillionths(amount: string | number): number {
  return Math.round(Number(amount) * MILLIONTHS);
}

/** One row for each key: a row cannot be added to twice in one statement. */
function addUp(figures: readonly Figure[]): Figure[] {
  const sums = new Map<string, Figure>();
  for (const figure of figures) {
    const key = `${figure.minute} ${figure.series} ${figure.label}`;
    const before = figure.series === 'balance' ? 0 : (sums.get(key)?.amount ?? 0);
    sums.set(key, { ...figure, amount: before + figure.amount });
  }
  return [...sums.values()];
}
