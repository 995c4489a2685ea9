import type { LoginEvent, SmsOtpEvent } from '../events';
import type { Refusal } from './outcome';
import type { Method } from '../method';

/**
 * Creates the function that passes events to the app. Nothing changes if the listener throws,
 * rejects or is slow.
 */
export function createEmitter(
  sink: ((event: SmsOtpEvent) => unknown) | undefined,
): (event: SmsOtpEvent) => void {
  if (sink === undefined) return () => undefined;
  return (event) => {
    try {
      // Handle the rejection of an async listener: otherwise it is an unhandled rejection in this
      // process.
      Promise.resolve(sink(event)).catch(() => undefined);
    } catch {
      // An error of the listener must not change the outcome of a login.
    }
  };
}

type DecisionEnded = Extract<LoginEvent, { readonly type: 'decision-ended' }>;

/** The result of a decision. */
type Result =
  | {
      readonly kind: 'sent' | 'already-sent' | 'verified' | 'unconfirmed';
    }
  | { readonly kind: 'let-in'; readonly proof: Method | null }
  | { readonly kind: 'waiting'; readonly refusal: Refusal | null }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * Wraps a decision, to emit how each run ended and how long it took. Without a listener the
 * decision is returned as it is.
 */
export function withTiming<Request, Answer extends Result>(
  {
    emit,
    hasListener,
  }: { readonly emit: (event: SmsOtpEvent) => void; readonly hasListener: boolean },
  decision: DecisionEnded['decision'],
  decide: (request: Request) => Promise<Answer>,
): (request: Request) => Promise<Answer> {
  if (!hasListener) return decide;
  return async (request) => {
    const startedAtMs = performance.now();
    let outcome: DecisionEnded['outcome'] = 'accident';
    try {
      const answer = await decide(request);
      outcome = toOutcome(answer);
      return answer;
    } finally {
      emit({
        type: 'decision-ended',
        decision,
        outcome,
        durationMs: performance.now() - startedAtMs,
      });
    }
  };
}

function toOutcome(result: Result): DecisionEnded['outcome'] {
  if (result.kind === 'refused') return result.refusal.reason;
  if (result.kind === 'let-in') return result.proof ?? 'not-required';
  const refusal = result.kind === 'waiting' ? result.refusal : null;
  return refusal?.reason ?? result.kind;
}
