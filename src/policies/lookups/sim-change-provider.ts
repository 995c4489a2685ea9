import type { PolicyContext, VerifiedContext } from '../policy';

/** How far back a change counts. */
export interface SimChangeQuestion {
  /** Hours, 1 to 2,400. */
  readonly maxAgeHours: number;
}

/** The answer to `check`. */
export interface SimChangeCheck {
  /** Null: not known. */
  readonly swapped: boolean | null;
  /** What there is to tell the operator, with or without a change: a few words without any number of a phone or SIM. */
  readonly hint?: string;
}

/** The answer to `retrieveDate`. */
export interface SimChangeDate {
  /** RFC 3339; null: no change in the time that is monitored, or nothing known of any. */
  readonly latestSimChange: string | null;
  /** Days the operator looks back; without it a null date says nothing. */
  readonly monitoredPeriodDays?: number;
}

/**
 * Who knows of SIM changes. Shaped like the two calls of the CAMARA SIM Swap interface, so that an operator's data can take
 * the place of the built-in hint. It needs one of `check` and `retrieveDate`; `check` is preferred.
 */
export interface SimChangeProvider {
  /** Whether the SIM behind `context.mobile` was changed within the last `maxAgeHours`. A throw counts as not known. */
  check?(context: PolicyContext<unknown>, question: SimChangeQuestion): Promise<SimChangeCheck>;
  /** When the SIM behind `context.mobile` was changed last. A throw counts as not known. */
  retrieveDate?(context: PolicyContext<unknown>): Promise<SimChangeDate>;
  /** Hears of each right code, for providers that compare with what they saw then. A throw changes nothing. */
  verified?(context: VerifiedContext, question: SimChangeQuestion): Promise<void>;
  /** True when it keeps what it knows in the store's notes. */
  readonly needsNotes?: boolean;
}

const HOUR_MS = 3_600_000;

/** One question, whichever of the two calls the provider has. */
export async function askProvider(
  provider: SimChangeProvider,
  context: PolicyContext<unknown>,
  maxAgeHours: number,
): Promise<SimChangeCheck> {
  if (provider.check !== undefined) return provider.check(context, { maxAgeHours });
  const date = await provider.retrieveDate?.(context);
  return date === undefined ? { swapped: null } : readDate(date, context.now(), maxAgeHours);
}

function readDate(
  { latestSimChange, monitoredPeriodDays = 0 }: SimChangeDate,
  nowMs: number,
  maxAgeHours: number,
): SimChangeCheck {
  if (latestSimChange === null) return { swapped: monitoredPeriodDays * 24 >= maxAgeHours ? false : null };
  const changedAt = Date.parse(latestSimChange);
  if (Number.isNaN(changedAt)) return { swapped: null };
  const isRecent = nowMs - changedAt < maxAgeHours * HOUR_MS;
  return isRecent
    ? { swapped: true, hint: `SIM changed on ${new Date(changedAt).toISOString()}` }
    : { swapped: false };
}
