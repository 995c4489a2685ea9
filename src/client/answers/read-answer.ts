import { GatewayRejectedError, GatewayResponseError } from '../../errors';
import { readEnvelope } from '../../protocol/envelope';
import { gatewayErrorName } from '../../protocol/error-codes';
import type { RawAnswer } from './answer-collector';
import type { GatewayCall } from '../gateway-call';

/**
 * The result in an answer. Success is an exact predicate; everything else is an error.
 * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED: the answer has an error object, or is a 429 or 5xx of its own.
 * @throws {GatewayResponseError} ERR_GATEWAY_RESPONSE: the answer is not as documented.
 */
export function readAnswer<Result>(call: GatewayCall<Result>, { httpStatus, text }: RawAnswer): Result {
  const answer = readEnvelope(httpStatus, parseJson(text));
  if (answer.kind === 'rejected') {
    throw new GatewayRejectedError(call.name, answer.code, gatewayErrorName(answer.code), httpStatus);
  }
  const result = answer.kind === 'success' ? call.read(answer.payload, answer.hasPayload) : null;
  if (result === null)
    throw new GatewayResponseError(call.name, httpStatus, 'its members are not as expected');
  return result;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The platform's message would quote the text; undefined is no envelope, which says it all.
    return undefined;
  }
}
