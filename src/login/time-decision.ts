import type { LoginContext } from './context';
import type { LoginEvent } from './events';
import type { Refusal } from './outcome';

type Ended = Extract<LoginEvent, { readonly type: 'decision-ended' }>;

/** What every decision answers with. */
interface Result {
  readonly kind: 'sent' | 'already-sent' | 'not-required' | 'verified' | 'unconfirmed' | 'refused';
  readonly refusal?: Refusal;
}

/** Tells how each run of a decision ended and how long it took. Without a listener the decision stays as it is. */
export function withTiming<Request, Answer extends Result>(
  { emit, hasListener }: LoginContext,
  decision: Ended['decision'],
  decide: (request: Request) => Promise<Answer>,
): (request: Request) => Promise<Answer> {
  if (!hasListener) return decide;
  return async (request) => {
    const startedAtMs = performance.now();
    let outcome: Ended['outcome'] = 'accident';
    try {
      const answer = await decide(request);
      // Every refusal says why: 'denied' is for the compiler alone.
      outcome = answer.kind === 'refused' ? (answer.refusal?.reason ?? 'denied') : answer.kind;
      return answer;
    } finally {
      emit({ type: 'decision-ended', decision, outcome, durationMs: performance.now() - startedAtMs });
    }
  };
}
