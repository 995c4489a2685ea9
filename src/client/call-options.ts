/** The options of one call. Unknown fields are errors. */
export interface CallOptions {
  /**
   * Ends the call with a `GatewayAbortedError`. Its `mayHaveArrived` is true once bytes of the
   * request may have left.
   */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for this call, 1 to 60,000. Default: the option `timeoutMs` of the client. */
  readonly timeoutMs?: number | undefined;
}
