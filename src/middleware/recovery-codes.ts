import type { Request } from 'express';
import type { HasNoFactor } from '../login/context';
import type { RecoveryCodes } from '../account/recovery-codes';
import { SecondFactorError } from '../errors';
import type { AppUserId, LoginContext } from '../login/context';
import { toUserIdText } from '../login/users';
import type { UserId } from '../stores/store';
import type { MiddlewareContext } from './context';

/** The codes with which users log in who have lost their phone. */
export interface RecoveryCodesPart {
  /**
   * Generates new codes in place of all earlier ones. They are returned here and never again: show
   * them once. Trusted devices are revoked and the user's other sessions ended.
   * @param req Its user must be this one, and have passed a second factor other than a trusted
   * device in the last 300 s. Not required for the first codes of a user of whom
   * `canPassSecondFactor` says false.
   * @throws {SecondFactorError} `ERR_SECOND_FACTOR_NEEDED` otherwise, and for the second of two
   * concurrent first calls.
   * @throws {StoreError} `ERR_STORE`: the codes are as before, or new ones are written that nobody
   * has seen. The same call again makes codes, and completes what it ends.
   */
  generate(userId: UserId, req?: Request): Promise<readonly string[]>;
  /** Returns how many codes the user has left. @throws {StoreError} `ERR_STORE` */
  count(userId: UserId): Promise<number>;
}

/** Recovery codes, and what new ones change besides. */
export interface RecoveryCodesContext {
  readonly codes: RecoveryCodes;
  readonly hasNoFactor: HasNoFactor;
  readonly loadUser: LoginContext['loadUser'];
  readonly emit: LoginContext['emit'];
}

/** How old the second factor may be when codes are replaced. */
const MAX_AGE_MS = 300_000;

export function createRecoveryCodesPart(
  {
    marks,
    logins,
    changeAndEnd,
    endOtherSessions,
  }: Pick<MiddlewareContext, 'marks' | 'logins' | 'changeAndEnd' | 'endOtherSessions'>,
  { codes, hasNoFactor, loadUser, emit }: RecoveryCodesContext,
): RecoveryCodesPart {
  return {
    async generate(id, req) {
      const { userId } = toUserIdText(id);
      const isFirst = !(await isFresh(userId, req));
      // The app has given it as the id of one of its users.
      const load = (): unknown => loadUser(id as AppUserId);
      if (isFirst && !(await hasNoFactor(userId, load))) throw notFresh();
      const made = await changeAndEnd(req, id, 'changed', async () => {
        const renewed = await codes.renew(userId, isFirst);
        if (renewed === null) throw notFresh();
        return renewed;
      });
      emit({ type: 'recovery-codes-generated', userId, address: req?.ip, count: made.length });
      await endOtherSessions(id, req);
      return made;
    },
    count: async (id) => (await codes.count(toUserIdText(id).userId)) ?? 0,
  };

  /** Returns whether the request's user is this one, right after a second factor. */
  async function isFresh(userId: string, req: Request | undefined): Promise<boolean> {
    if (req === undefined || !(await logins.isStillLive(req))) return false;
    if (marks.check(req, MAX_AGE_MS) !== 'passed') return false;
    return marks.read(req)?.userId === userId;
  }
}

function notFresh(): SecondFactorError {
  return new SecondFactorError(
    'The user can pass a second factor: recoveryCodes.generate(userId, req) makes codes right ' +
      'after that user has passed one',
  );
}
