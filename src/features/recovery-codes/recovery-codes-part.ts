import type { Request } from 'express';
import type { AppUserId, Core } from '../../core/context';
import type { HasNoFactor } from '../../core/user-factors';
import { toUserIdText } from '../../core/users';
import { optionError, RecoveryCodesError, SecondFactorError } from '../../errors';
import type { MiddlewareContext } from '../../middleware/context';
import type { UserId } from '../../stores/store';
import type { RecoveryCodes, WrittenCodes } from './recovery-codes';

/** Options of `recoveryCodes.generate`. */
export interface GenerateOptions {
  /**
   * Names the form that asks, such as a random id in a hidden field of its page: 1 to 100
   * characters that cannot be guessed. Of several calls with the same form, only one makes codes,
   * even across processes. For a minute the others return the same codes, so that the browser shows
   * valid ones after a form was submitted twice. Default: none, every call makes codes.
   */
  readonly form?: string | undefined;
}

/** Makes the codes with which users log in after they have lost their phone. */
export interface RecoveryCodesPart {
  /**
   * Generates new codes that replace all earlier ones. They are returned only here, so show them to
   * the user now; with `form` they are returned again for a minute. Trusted devices are revoked,
   * and the user's other sessions are ended.
   * @param req Its user must be this one, and have passed a second factor other than a trusted
   * device in the last 300 s. Not required for the first codes of a user for whom
   * `canPassSecondFactor` returns false.
   * @throws {SecondFactorError} `ERR_SECOND_FACTOR_NEEDED` otherwise, and for the second of two
   * concurrent first calls.
   * @throws {RecoveryCodesError} `ERR_CODES_ALREADY_MADE`: a call with this `form` has made the
   * codes that are valid now, and it was more than a minute ago, or one of them has been used.
   * Nothing has changed.
   * @throws {StoreError} `ERR_STORE`: either the codes are as before, or new ones are written that
   * were shown to no user. The same call again makes codes, and completes what it ends. If the
   * store fails again meanwhile, only a call with another `form` makes codes.
   */
  generate(userId: UserId, req?: Request, options?: GenerateOptions): Promise<readonly string[]>;
  /** Returns how many codes the user has left. @throws {StoreError} `ERR_STORE` */
  count(userId: UserId): Promise<number>;
}

/** How old the second factor may be when codes are replaced. */
const MAX_AGE_MS = 300_000;

export function createRecoveryCodesPart(
  { loadUser, emit }: Core,
  { marks, logins, changeAndEnd, endOtherSessions }: MiddlewareContext,
  codes: RecoveryCodes,
  hasNoFactor: HasNoFactor,
): RecoveryCodesPart {
  return {
    async generate(id, req, { form } = {}) {
      const { userId } = toUserIdText(id);
      checkForm(form);
      // Make and show nothing for a login that has ended.
      if (req !== undefined && !(await logins.isStillActive(req))) throw notFresh();
      const shown = await showAgain(id, req, form);
      if (shown !== null) return shown;
      const isFirst = !isFresh(userId, req);
      // The app has passed this as the id of one of its users.
      const load = (): unknown => loadUser(id as AppUserId);
      if (isFirst && !(await hasNoFactor(userId, load))) {
        // Another request of the form may have made the first codes meanwhile. The user then has a
        // factor.
        const made = await showAgain(id, req, form);
        if (made === null) throw notFresh();
        return made;
      }
      const prepared = await codes.prepare(userId, form);
      try {
        await changeAndEnd(req, id, 'changed', async () =>
          checkWritten(await codes.write(prepared, isFirst, form)),
        );
        const { length } = prepared.codes;
        emit({ type: 'recovery-codes-generated', userId, address: req?.ip, count: length });
        await endOtherSessions(id, req);
      } catch (error) {
        await codes.settle(prepared.set, 'failed');
        const made = error instanceof RecoveryCodesError ? await showAgain(id, req, form) : null;
        if (made === null) throw error;
        return made;
      }
      await codes.settle(prepared.set, 'done');
      return prepared.codes;
    },
    count: async (id) => (await codes.count(toUserIdText(id).userId)) ?? 0,
  };

  /**
   * Returns the codes that a form has made, to show them again; null: it has made none. If the call
   * that made them has not ended everything, this one ends the rest.
   * @throws {RecoveryCodesError} if they are no longer shown.
   */
  async function showAgain(
    id: UserId,
    req: Request | undefined,
    form: string | undefined,
  ): Promise<readonly string[] | null> {
    if (form === undefined) return null;
    const { userId } = toUserIdText(id);
    const set = await codes.findMadeFor(userId, form);
    if (set === null) return null;
    if (set.madeFor?.isDone !== true) {
      await changeAndEnd(req, id, 'changed', () => Promise.resolve());
      await endOtherSessions(id, req);
      await codes.settle(set, 'done');
    }
    const shown = await codes.showAgain(set, form);
    if (shown === null) throw alreadyMade();
    return shown;
  }

  /** Returns whether the request's user is this one, and has just passed a second factor. */
  function isFresh(userId: string, req: Request | undefined): boolean {
    if (req === undefined || marks.check(req, MAX_AGE_MS) !== 'passed') return false;
    return marks.read(req)?.userId === userId;
  }
}

function checkForm(form: unknown): void {
  if (form === undefined) return;
  if (typeof form !== 'string' || form === '' || form.length > MAX_FORM_LENGTH)
    throw optionError('recoveryCodes.generate', 'form', 'must be a string of 1 to 100 characters');
}

const MAX_FORM_LENGTH = 100;

function checkWritten(written: WrittenCodes): void {
  if (written === 'not-first') throw notFresh();
  if (written === 'made-before') throw alreadyMade();
}

function alreadyMade(): RecoveryCodesError {
  return new RecoveryCodesError(
    'This form has made recovery codes more than a minute ago, or one of them has been used. ' +
      'Load the page again to make others',
  );
}

function notFresh(): SecondFactorError {
  return new SecondFactorError(
    'The user can pass a second factor: recoveryCodes.generate(userId, req) makes codes right ' +
      'after that user has passed one',
  );
}
