import type { PhoneChoice, Refusal } from '../login/outcome';
import { toUserIdText } from '../login/users';
import { checkFactor, type PassedFactor } from './enroll';
import { type EnrollmentContext, type OwnPhone, readOwnPhones } from './phone-book';

/** A change to a number the user has. */
export interface ChangeRequest {
  /** The logged-in user. */
  readonly user: Express.User | undefined;
  readonly passed: PassedFactor | undefined;
  readonly maxAgeMs: number;
  /** The number as the form names it. */
  readonly phoneId: unknown;
  readonly address: string | undefined;
}

export type ChangeResult =
  | { readonly kind: 'changed'; readonly user: Express.User; readonly phone: PhoneChoice }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A number as the settings page lists it. */
export interface ListedPhone extends PhoneChoice {
  readonly isConfirmed: boolean;
  readonly isDefault: boolean;
}

/** The decisions about numbers the user has. */
export interface ChangePhones {
  readonly removePhone: (request: ChangeRequest, keepsLast: boolean) => Promise<ChangeResult>;
  readonly setDefaultPhone: (request: ChangeRequest) => Promise<ChangeResult>;
  readonly listPhones: (user: Express.User) => Promise<readonly ListedPhone[]>;
}

export function createChangePhones(parts: EnrollmentContext): ChangePhones {
  const { login, book } = parts;

  async function removePhone(request: ChangeRequest, keepsLast: boolean): Promise<ChangeResult> {
    const found = await findPhone(request);
    if (found.kind === 'refused') return found;
    const { user, phone } = found;
    const isRemoved: unknown = await book.remove(login.getUserId(user), phone.mobile, { keepsLast });
    if (isRemoved !== true) return refuse(await explainKept(user, phone));
    login.emit({ type: 'phone-removed', ...toOwner(request, user), maskedPhone: phone.maskedPhone });
    return toChanged(user, phone);
  }

  async function setDefaultPhone(request: ChangeRequest): Promise<ChangeResult> {
    const found = await findPhone(request);
    if (found.kind === 'refused') return found;
    const { user, phone } = found;
    const isSet: unknown = await book.setDefault(login.getUserId(user), phone.mobile);
    if (isSet !== true) return refuse({ reason: 'no-phone' });
    const changed = { ...toOwner(request, user), maskedPhone: phone.maskedPhone };
    if (!phone.isDefault) login.emit({ type: 'default-phone-changed', ...changed });
    return toChanged(user, phone);
  }

  /** Only among the user's own: the id of another user's number is no number here. */
  async function findPhone({ user, passed, maxAgeMs, phoneId }: ChangeRequest): Promise<Found> {
    if (user === undefined) return refuse({ reason: 'second-factor-required' });
    const refusal = checkFactor(passed, maxAgeMs, login.now());
    if (refusal !== null) return refuse(refusal);
    const { phones } = await readOwnPhones(parts, user);
    const phone = phones.find((own) => own.phoneId === phoneId);
    return phone === undefined ? refuse({ reason: 'no-phone' }) : { kind: 'found', user, phone };
  }

  /** The book says only that it kept the number, or never had it. */
  async function explainKept(user: Express.User, { mobile }: OwnPhone): Promise<Refusal> {
    const { phones } = await readOwnPhones(parts, user);
    return { reason: phones.some((own) => own.mobile === mobile) ? 'last-phone' : 'no-phone' };
  }

  function toOwner({ address }: ChangeRequest, user: Express.User): Owner {
    return { userId: toUserIdText(login.getUserId(user)).userId, address };
  }

  return {
    removePhone,
    setDefaultPhone,
    listPhones: async (user) => {
      const { phones } = await readOwnPhones(parts, user);
      return phones.map(({ mobile: _mobile, ...shown }) => shown);
    },
  };
}

type Found =
  | { readonly kind: 'found'; readonly user: Express.User; readonly phone: OwnPhone }
  | Extract<ChangeResult, { readonly kind: 'refused' }>;

interface Owner {
  readonly userId: string;
  readonly address: string | undefined;
}

function refuse(refusal: Refusal): Extract<ChangeResult, { readonly kind: 'refused' }> {
  return { kind: 'refused', refusal };
}

function toChanged(user: Express.User, { phoneId, maskedPhone }: OwnPhone): ChangeResult {
  return { kind: 'changed', user, phone: { phoneId, maskedPhone } };
}
