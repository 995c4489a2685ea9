import { SessionError } from '../errors';

/** Wraps an error of the session store. Our own errors pass through. */
export function storeFailure(what: string, cause: unknown): SessionError {
  if (cause instanceof SessionError) return cause;
  return new SessionError('ERR_SESSION_STORE', `The session could not be ${what}`, cause);
}

/** Creates the error of a session that keeps its id, or has none. */
export function notRenewed(): SessionError {
  return new SessionError(
    'ERR_SESSION_NOT_RENEWED',
    "The session's id cannot be renewed. Use 'express-session' with a store on the server; " +
      'sessions kept in a cookie can be replayed',
  );
}

/**
 * Creates the error of a missing session. express-session goes on without a session while its store
 * is disconnected, which can be told apart only after a session was seen.
 */
export function noSession(hasSeenSession: boolean): SessionError {
  return hasSeenSession
    ? new SessionError(
        'ERR_SESSION_STORE',
        'The session is missing: the session store seems to be disconnected',
      )
    : new SessionError(
        'ERR_NO_SESSION',
        "req.session is missing. Put app.use(session({ … })) of 'express-session' before the " +
          'routes of smsOtp',
      );
}
