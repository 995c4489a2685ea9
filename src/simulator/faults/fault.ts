/** Whether the gateway has done what was asked when the fault strikes. */
interface Timing {
  /** Default `before`: nothing was done. */
  readonly when?: 'before' | 'after';
}

/** What can go wrong with one call. */
export type Fault =
  /** An error of the gateway's lists; nothing is processed. `status200` sends it with HTTP 200. */
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly httpStatus?: number;
      readonly status200?: boolean;
    }
  /**
   * Waits, then processes as usual, unless the client has hung up. With `when: 'after'` it processes first.
   */
  | ({ readonly kind: 'latency'; readonly ms: number } & Timing)
  /** Keeps the connection open and says nothing. */
  | ({ readonly kind: 'no-answer' } & Timing)
  /** Resets the connection. */
  | ({ readonly kind: 'reset' } & Timing)
  /** Processes, promises the whole answer, sends half of it and resets. */
  | { readonly kind: 'half-answer' }
  /** A proxy's error page. */
  | ({ readonly kind: 'html-502' } & Timing)
  /** Processes and answers with another content type. */
  | { readonly kind: 'content-type'; readonly value: string }
  /** Processes and pads the answer to that many bytes, without saying its length before. */
  | { readonly kind: 'huge'; readonly bytes: number }
  /** Processes and pads the answer to that many bytes, which gzip makes small. */
  | { readonly kind: 'compressed'; readonly bytes: number }
  /** Default status 307, which repeats method and body; default location: a path of the simulator itself. */
  | ({ readonly kind: 'redirect'; readonly status?: number; readonly location?: string } & Timing)
  /** Processes and sends the answer byte by byte. */
  | { readonly kind: 'slow-drip'; readonly intervalMs: number }
  /** A well-formed envelope with neither payload nor errors, as in 429 and 503. */
  | ({ readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number } & Timing)
  /** Any answer at all. */
  | ({
      readonly kind: 'body';
      readonly status: number;
      readonly body: string;
      readonly contentType?: string;
    } & Timing);

/** The faults that need no data may be named by their kind. */
export type FaultName = 'no-answer' | 'reset' | 'half-answer' | 'html-502' | 'redirect';
