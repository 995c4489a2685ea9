import { GatewayResponseError, GatewayTimeoutError, GatewayUnreachableError } from '../errors';

/** An accident after which the gateway may have done what it was asked: its answer did not arrive whole. */
export type LostAnswer = GatewayResponseError | GatewayTimeoutError | GatewayUnreachableError;

export function mayHaveArrived(error: unknown): error is LostAnswer {
  if (error instanceof GatewayResponseError) return true;
  const isCut = error instanceof GatewayTimeoutError || error instanceof GatewayUnreachableError;
  return isCut && error.mayHaveArrived;
}
