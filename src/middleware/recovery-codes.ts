import type { Request } from 'express';
import type { RecoveryCodes } from '../account/recovery-codes';
import type { RevokeDevices } from '../account/trusted-devices';
import { SecondFactorError } from '../errors';
import type { LoginContext } from '../login/context';
import { toUserIdText } from '../login/users';
import type { UserId } from '../stores/store';
import type { MiddlewareContext } from './context';

/** How old a second factor may be when codes are made anew. */
const MAX_AGE_MS = 300_000;

/** What the recovery codes need beside the rest. */
export interface RecoveryCodesContext {
  readonly codes: RecoveryCodes;
  readonly emit: LoginContext['emit'];
  /** Undefined: no devices are trusted. */
  readonly revokeDevices: RevokeDevices | undefined;
  readonly endOtherSessions: ((userId: UserId, req: Request | undefined) => unknown) | undefined;
}

/** The codes with which a user gets in when the phone is gone. */
export interface RecoveryCodesPart {
  /**
   * Makes new codes in place of all earlier ones. They are given back here and never again: show them once. Trusted
   * devices are revoked and the user's other sessions ended.
   * @param req Needed while the user has codes: its user must be this one, and have passed a second factor, no trusted
   * device, in the last 300 s.
   * @throws {SecondFactorError} `ERR_SECOND_FACTOR_NEEDED` otherwise, and for the second of two first calls at once.
   * @throws {StoreError} `ERR_STORE`: nothing was changed but, perhaps, devices revoked.
   */
  generate(userId: UserId, req?: Request): Promise<readonly string[]>;
  /** How many codes the user has left. @throws {StoreError} `ERR_STORE` */
  count(userId: UserId): Promise<number>;
}

export function createRecoveryCodesPart(
  { marks }: Pick<MiddlewareContext, 'marks'>,
  { codes, emit, revokeDevices, endOtherSessions }: RecoveryCodesContext,
): RecoveryCodesPart {
  /** Whether the request is of this very user, right after a second factor. */
  function isFresh(userId: string, req: Request | undefined): boolean {
    if (req === undefined || marks.check(req, MAX_AGE_MS) !== 'passed') return false;
    return marks.read(req)?.userId === userId;
  }

  return {
    async generate(id, req) {
      const { userId } = toUserIdText(id);
      const isFirst = (await codes.count(userId)) === 0;
      if (!isFirst && !isFresh(userId, req)) throw notFresh();
      await revokeDevices?.(userId, 'changed', req?.ip);
      const made = await codes.renew(userId, isFirst);
      if (made === null) throw notFresh();
      emit({ type: 'recovery-codes-generated', userId, address: req?.ip, count: made.length });
      await endOtherSessions?.(id, req);
      return made;
    },
    count: async (id) => codes.count(toUserIdText(id).userId),
  };
}

function notFresh(): SecondFactorError {
  return new SecondFactorError(
    'The user has recovery codes: recoveryCodes.generate(userId, req) makes new ones right after a second factor of that user',
  );
}
