import { isPhoneNumber } from '../limits/number-country';
import type { PendingState } from '../stores/pending-logins';
import type { Purpose } from '../stores/store';
import { isAccepted } from './accepted-factors';
import { factorOf, maskAddress, MESSAGE, toAddressId } from './addresses';
import type { Core } from './context';
import type { SentFactor, UserAddress } from './feature';
import type { CodeChoice, Reason } from './outcome';
import { findAddresses, type NewPhone, type NoMessageNow } from './phones';
import { findPreferred } from './preferred-factor';
import { toUserIdText } from './users';
import type { Visit } from './visit';

/** The request to find the address of a user to which a code is sent. */
export interface AddressQuestion {
  readonly user: Express.User;
  readonly purpose: Purpose;
  readonly visit: Pick<Visit, 'pending' | 'getPreferredFactor'>;
  /** A resend: the pending login that gets another message. */
  readonly previous?: PendingState | undefined;
  /**
   * The choice of the form, unchecked. Undefined: the address of the newest code, otherwise the one
   * that was chosen for this pending login before, otherwise that of the preferred factor,
   * otherwise the default.
   */
  readonly phoneId?: unknown;
  /** Purpose `enroll` only. */
  readonly newPhone?: NewPhone | undefined;
  /** The factors that are accepted. Left out: any. */
  readonly methods?: readonly string[] | undefined;
}

/** An address of a user, and the factor that sends codes to it. */
interface Destination extends UserAddress {
  readonly sender: SentFactor;
}

export type ChosenAddress =
  | (Destination & {
      readonly phones: readonly CodeChoice[];
      /** The factors by which this user can get a code now, the first one first. */
      readonly senders: readonly string[];
    })
  | { readonly reason: Extract<Reason, 'no-phone' | 'user-gone'> }
  | NoMessageNow;

/** Lists the factors that send codes for a purpose, text messages first. */
export function listSenders(
  { features }: Pick<Core, 'features'>,
  purpose: Purpose,
  methods: readonly string[] | undefined,
): readonly SentFactor[] {
  return features
    .flatMap(({ factors }) => factors ?? [])
    .filter((factor): factor is SentFactor => factor.delivery !== undefined)
    .filter((factor) => isFor(factor, purpose) && isAccepted(methods, factor.method));
}

/** Returns whether only one factor sends codes for a purpose. */
export function isOnlySender(
  core: Pick<Core, 'features'>,
  purpose: Purpose,
  methods: readonly string[] | undefined,
): boolean {
  return listSenders(core, purpose, methods).length === 1;
}

/** Returns whether a factor sends codes for a purpose. The code of a new number goes to it. */
function isFor({ purposes, method }: SentFactor, purpose: Purpose): boolean {
  return purpose === 'enroll' ? method === MESSAGE : purposes.includes(purpose);
}

/**
 * Finds where a code is sent: to one of the user's own addresses, or to the new number that is
 * being enrolled.
 */
export async function chooseAddress(core: Core, question: AddressQuestion): Promise<ChosenAddress> {
  const { newPhone, purpose, methods } = question;
  const senders = listSenders(core, purpose, methods);
  if (newPhone === undefined) return chooseListed(core, question, senders);

  // The enrollment has parsed this number. Only a changed record of the store can fail here.
  const { mobile: to } = newPhone;
  const [sender] = senders;
  if (sender === undefined || !isPhoneNumber(to)) return { reason: 'no-phone' };
  return { to, isConfirmed: false, sender, phones: [], senders: [MESSAGE] };
}

async function chooseListed(
  core: Core,
  question: AddressQuestion,
  senders: readonly SentFactor[],
): Promise<ChosenAddress> {
  const { user, phoneId } = question;
  const listed = await listDestinations(senders, user);
  const { destinations } = listed;
  const newest = findNewest(question, senders, listed);
  if (newest !== null && 'reason' in newest) return newest;
  const [first] = destinations;
  if (first === undefined) return findReason(listed);

  const having = [...new Set(destinations.map(({ sender }) => sender.method))];
  if (destinations.length === 1 && phoneId === undefined)
    return { ...first, phones: [], senders: having };

  const choices = await describeDestinations(core, user, destinations);
  const find = (id: unknown): Destination | undefined =>
    destinations[choices.findIndex((choice) => choice.phoneId === id)];
  const shown = { phones: choices.length > 1 ? choices : [], senders: having };
  if (phoneId !== undefined) {
    const chosen = find(phoneId);
    return chosen === undefined ? findReason(listed) : { ...chosen, ...shown };
  }

  // If no code was sent yet, an address that was chosen before may have been removed.
  const { previous, visit } = question;
  const earlier = previous === undefined ? undefined : find(visit.pending?.phoneId);
  const chosen =
    newest ?? earlier ?? (await findPreferredDestination(question, destinations, having)) ?? first;
  return { ...chosen, ...shown };
}

/** The addresses of a user, and the factors whose addresses are not known now. */
interface Listed {
  readonly destinations: readonly Destination[];
  readonly unusable: ReadonlyMap<SentFactor, NoMessageNow>;
}

/** Lists the addresses of a user for some factors, in their order. */
async function listDestinations(
  senders: readonly SentFactor[],
  user: Express.User,
): Promise<Listed> {
  const listed = await Promise.all(senders.map((sender) => findAddresses(sender, user)));
  const destinations: Destination[] = [];
  const unusable = new Map<SentFactor, NoMessageNow>();

  for (const [index, sender] of senders.entries()) {
    const addresses = listed[index] ?? [];
    if ('found' in addresses) unusable.set(sender, addresses);
    else
      for (const { to, isConfirmed } of addresses) destinations.push({ sender, to, isConfirmed });
  }
  return { destinations, unusable };
}

/**
 * Returns the address of the newest code, or `user-gone` if it is no longer the user's. If it
 * cannot be read now, returns why, or null if the form has chosen an address. Null: no code was
 * sent, or a factor that is not accepted here has sent it.
 */
function findNewest(
  { previous, phoneId }: AddressQuestion,
  senders: readonly SentFactor[],
  { destinations, unusable }: Listed,
): Destination | Extract<ChosenAddress, { readonly reason: string }> | null {
  const otp = previous?.otp ?? null;
  const sender = otp && senders.find(({ method }) => method === factorOf(otp));
  if (otp === null || !sender) return null;
  const found = destinations.find(
    (destination) => destination.sender === sender && destination.to === otp.to,
  );
  if (found !== undefined) return found;
  const unknown = unusable.get(sender);
  if (unknown === undefined) return { reason: 'user-gone' };
  return phoneId === undefined ? unknown : null;
}

/** Returns why no address was found. */
function findReason({ unusable }: Listed): Extract<ChosenAddress, { readonly reason: string }> {
  const [unknown] = unusable.values();
  return unknown ?? { reason: 'no-phone' };
}

function describeDestinations(
  core: Core,
  user: Express.User,
  destinations: readonly Destination[],
): Promise<readonly CodeChoice[]> {
  const { userId } = toUserIdText(core.getUserId(user));
  const described = destinations.map(async ({ sender: { method: factor }, to }) => {
    const phoneId = await toAddressId(core, userId, factor, to);
    return { phoneId, maskedPhone: maskAddress(to), factor };
  });
  return Promise.all(described);
}

/** Returns the first address of the factor that the app prefers. Undefined: it prefers none. */
async function findPreferredDestination(
  { user, visit }: AddressQuestion,
  destinations: readonly Destination[],
  having: readonly string[],
): Promise<Destination | undefined> {
  if (having.length < 2) return undefined;
  const preferred = await findPreferred(having, () => visit.getPreferredFactor(user));
  return destinations.find(({ sender }) => sender.method === preferred);
}
