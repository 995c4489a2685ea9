import { GatewayTimeoutError } from '../errors';
import { remainingMs, type CallDeadline } from './admission/call-deadline';
import type { CircuitBreaker } from './admission/circuit-breaker';
import type { GatewayCall } from './gateway-call';
import { isGatewayFailure } from './answers/gateway-failure';
import { readAnswer } from './answers/read-answer';
import type { RequestSender } from './send-request';

/** Sends a call once: its result, or an error of ours. The circuit breaker counts what came of it. */
export type Exchange = <Result>(
  call: GatewayCall<Result>,
  authorization: string | null,
  deadline: CallDeadline,
) => Promise<Result>;

/** Joins transport, reading and counting. */
export function createExchange(sender: RequestSender, breaker: CircuitBreaker): Exchange {
  return async function exchange(call, authorization, deadline) {
    const { name, maxBytes } = call;
    const { limitMs } = deadline;
    const leftMs = remainingMs(deadline);
    if (leftMs <= 0) throw new GatewayTimeoutError(name, limitMs, false);
    try {
      const answer = await sender.send(call, authorization, { call: name, maxBytes, limitMs, leftMs });
      const result = readAnswer(call, answer);
      breaker.record(false);
      return result;
    } catch (error) {
      breaker.record(isGatewayFailure(error));
      throw error;
    }
  };
}
