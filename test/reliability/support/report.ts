import { SmsOtpError } from 'passport-sms-otp';
import type { Pass, RunningApp } from './app';

/** What an app tells of itself, also across processes. */
export interface Report {
  readonly passes: readonly Pass[];
  /** How many events of each type. */
  readonly events: Readonly<Record<string, number>>;
  /** The codes of the errors that reached the app's error handler. */
  readonly errors: readonly string[];
  /** Rejections that nobody in that process handled. */
  readonly unhandled: readonly string[];
}

export function reportOf({ passes, events, errors }: RunningApp): Omit<Report, 'unhandled'> {
  const counts: Record<string, number> = {};
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  const codes = errors.map((error) => (error instanceof SmsOtpError ? error.code : String(error)));
  return { passes, events: counts, errors: codes };
}

/** Several processes as one. */
export function joinReports(reports: readonly Report[]): Report {
  const events: Record<string, number> = {};
  for (const [type, count] of reports.flatMap((report) => Object.entries(report.events)))
    events[type] = (events[type] ?? 0) + count;
  return {
    events,
    passes: reports.flatMap(({ passes }) => passes),
    errors: reports.flatMap(({ errors }) => errors),
    unhandled: reports.flatMap(({ unhandled }) => unhandled),
  };
}
