import type { PhoneChoice, Refusal } from '../../core/outcome';
import { toUserIdText, type VerifiedMark } from '../../core/users';
import type { Visit } from '../../core/visit';
import type { ChangeAndEndHere } from '../../core/end-others';
import { checkMark } from '../../middleware/mark';
import type { EnrollmentContext } from './enroll';
import { type OwnPhone, readOwnPhones } from './phone-book';

/** A change to a number the user has. */
export interface ChangeRequest {
  readonly visit: Visit;
  readonly passed: VerifiedMark | undefined;
  readonly maxAgeMs: number;
  /** The id of the number, as the form sent it. */
  readonly phoneId: unknown;
  /** Makes a change, and ends what the user has begun or trusts elsewhere. */
  readonly changeAndEnd: ChangeAndEndHere;
}

export type ChangeResult =
  | { readonly kind: 'changed'; readonly user: Express.User; readonly phone: PhoneChoice }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A number as a settings page lists it. */
export interface ListedPhone extends PhoneChoice {
  readonly isConfirmed: boolean;
  readonly isDefault: boolean;
}

/** Creates the decisions about numbers that the user has. */
export function createChangePhones(context: EnrollmentContext) {
  const { core, book } = context;

  return {
    async removePhone(request: ChangeRequest, keepsLast: boolean): Promise<ChangeResult> {
      const found = await findPhone(request);
      if (found.kind === 'refused') {
        // An earlier request may have removed it, and failed before everything else had ended.
        const { currentUser } = request.visit;
        if (found.refusal.reason === 'no-phone' && currentUser !== undefined)
          await request.changeAndEnd(currentUser, () => Promise.resolve());
        return found;
      }
      const { user, phone, about } = found;
      const isRemoved: unknown = await request.changeAndEnd(user, async () => {
        const changed: unknown = await book.remove(core.getUserId(user), phone.stored, {
          keepsLast,
        });
        // Tell the user at once, even if something cannot be ended afterwards.
        if (changed === true) core.emit({ type: 'phone-removed', ...about });
        return changed;
      });
      if (isRemoved !== true) return refuse(await explainKept(user, phone));
      return toChanged(user, phone);
    },
    async setDefaultPhone(request: ChangeRequest): Promise<ChangeResult> {
      const found = await findPhone(request);
      if (found.kind === 'refused') return found;
      const { user, phone, about } = found;
      const isSet: unknown = await book.setDefault(core.getUserId(user), phone.stored);
      if (isSet !== true) return refuse({ reason: 'no-phone' });
      if (!phone.isDefault) core.emit({ type: 'default-phone-changed', ...about });
      return toChanged(user, phone);
    },
    async listPhones(user: Express.User): Promise<readonly ListedPhone[]> {
      const phones = await readOwnPhones(context, user);
      return phones.map(({ mobile: _mobile, stored: _stored, ...shown }) => shown);
    },
  };

  /** Finds one of the user's own numbers. The id of another user's number finds nothing. */
  async function findPhone({ visit, passed, maxAgeMs, phoneId }: ChangeRequest) {
    const { currentUser: user, address } = visit;
    if (user === undefined) return refuse({ reason: 'second-factor-required' });
    const refusal = checkMark(passed, maxAgeMs, core.now());
    if (refusal !== null) return refuse(refusal);
    const phones = await readOwnPhones(context, user);
    const phone = phones.find((own) => own.phoneId === phoneId);
    if (phone === undefined) return refuse({ reason: 'no-phone' });
    const { userId } = toUserIdText(core.getUserId(user));
    // `about` is for events.
    return {
      kind: 'found',
      user,
      phone,
      about: { userId, address, maskedPhone: phone.maskedPhone },
    } as const;
  }

  /**
   * Returns why a number stays: the phone book reports only that it kept the number, or never had
   * it.
   */
  async function explainKept(user: Express.User, { mobile }: OwnPhone): Promise<Refusal> {
    const phones = await readOwnPhones(context, user);
    return { reason: phones.some((own) => own.mobile === mobile) ? 'last-phone' : 'no-phone' };
  }
}

type RefusedChange = Extract<ChangeResult, { readonly kind: 'refused' }>;

function refuse(refusal: Refusal): RefusedChange {
  return { kind: 'refused', refusal };
}

function toChanged(user: Express.User, { phoneId, maskedPhone }: OwnPhone): ChangeResult {
  return { kind: 'changed', user, phone: { phoneId, maskedPhone } };
}
