import { type Call, CALLS } from '../calls/call';
import { BoundedMap } from './bounded-map';

const MAX_IDS = 50_000;

/** What has happened since the start. */
export interface SimulatorStats {
  /** Requests received, by call, processed or not. */
  readonly calls: Readonly<Record<Call, number>>;
  /** Authentications processed, accepted or refused, by type. */
  readonly authentications: { readonly credentials: number; readonly refresh: number };
  /** Text messages sent. */
  readonly sent: number;
  /** Validate calls received, by OTP id, processed or not; at least the newest 50,000 ids are kept. */
  readonly validatesById: Readonly<Record<string, number>>;
  /** Validate calls that succeeded. */
  readonly validated: number;
  /** Refusals by error code, without those of `failNext`. Only the first code of an answer counts. */
  readonly refusals: Readonly<Record<number, number>>;
  /** Faults that were played. */
  readonly faults: number;
}

/** Counts what the simulator does. */
export class StatsStore {
  readonly #validatesById = new BoundedMap<string, number>(MAX_IDS);
  readonly #counts = {
    // Every call has an entry from the start.
    calls: Object.fromEntries(CALLS.map((call) => [call, 0])) as Record<Call, number>,
    authentications: { credentials: 0, refresh: 0 },
    sent: 0,
    validated: 0,
    faults: 0,
  };
  readonly #refusals: Record<number, number> = {};

  count(what: 'sent' | 'validated' | 'faults'): void {
    this.#counts[what] += 1;
  }

  countCall(call: Call, subject: string): void {
    this.#counts.calls[call] += 1;
    if (call === 'validate') this.#validatesById.set(subject, (this.#validatesById.get(subject) ?? 0) + 1);
  }

  countAuthentication(type: 'credentials' | 'refresh'): void {
    this.#counts.authentications[type] += 1;
  }

  countRefusal(code: number): void {
    this.#refusals[code] = (this.#refusals[code] ?? 0) + 1;
  }

  read(): SimulatorStats {
    return {
      ...this.#counts,
      calls: { ...this.#counts.calls },
      authentications: { ...this.#counts.authentications },
      validatesById: Object.fromEntries(this.#validatesById.entries()),
      refusals: { ...this.#refusals },
    };
  }
}
