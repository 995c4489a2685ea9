import { toFailureCode } from '../stores/failure-code';

/** Thrown when users or their numbers cannot be read. The error page uses `status`. */
export class UserStoreError extends Error {
  readonly status = 503;
}

/** Replaces the error of a driver, which may hold the query. @throws {UserStoreError} always. */
export function hideFailure(cause: unknown): never {
  throw new UserStoreError(`Users cannot be read: ${toFailureCode(cause)}`);
}
