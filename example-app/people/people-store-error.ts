import { toFailureCode } from '../stores/failure-code';

/** Users and their numbers cannot be had. `status` is what the error page goes by. */
export class PeopleStoreError extends Error {
  readonly status = 503;
}

/** In place of what a driver throws, which may hold what was asked for. @throws {PeopleStoreError} always. */
export function hideFailure(cause: unknown): never {
  throw new PeopleStoreError(`Users cannot be read: ${toFailureCode(cause)}`);
}
