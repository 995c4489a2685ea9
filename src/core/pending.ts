import { shorten } from '../keys';
import { toIpAddress } from '../limits/address-block';
import { OTHER_BROWSERS, placeOf, sideOf } from '../limits/buckets';
import type { PendingState } from '../stores/pending-logins';
import type { PendingLogin } from '../stores/store';
import type { BegunPending, Core } from './context';
import { deny, type RefusedSend, type SendRequest, toDenied } from './send-result';
import { toUserIdText } from './users';
import type { Visit } from './visit';

/** The user, purpose and facts of a pending login that begins. */
export type NewPending = Pick<
  SendRequest,
  'user' | 'purpose' | 'visit' | 'newPhone' | 'transaction'
>;

/** A pending login that has begun, or why none has. */
export type Begun = BegunPending | RefusedSend;

/**
 * Begins a pending login.
 * @throws {StoreError} `ERR_STORE`
 */
export type BeginPending = (asked: NewPending) => Promise<Begun>;

/** The most pending logins without an OTP of one user and side. */
const MOST_WITHOUT_OTP = 100;

/** Seconds during which requests from other address blocks cannot end such a login. */
const PROTECTED_SECONDS = 60;

/** Seconds during which a login form that is submitted again joins the first login. */
const JOIN_SECONDS = 30;

/**
 * Creates the step that begins pending logins. It runs before any callback of the app, so that a
 * call which ends all logins of the user ends this one too. It counts nothing. No other file makes
 * a pending login.
 */
export function createBeginPending(core: Core): BeginPending {
  const [digest] = core.createDigests('sender');

  return async function beginPending(asked) {
    const { visit, purpose } = asked;
    const identity = toUserIdText(core.getUserId(asked.user));
    const { userId } = identity;
    const bucket = await findBucket(core, userId, visit);
    const pending = createPending(core, asked, { ...identity, bucket });
    const block = await findBlock(core, userId, visit.address);
    const isLogin = purpose === 'login';

    const begun = await core.store.pendingLogins.begin(
      {
        pending,
        place: placeOf(purpose, bucket),
        side: sideOf(bucket),
        block,
        // If its address cannot be read, a request joins no earlier login.
        sender: isLogin && block !== '' ? await toSender(visit, block) : undefined,
        series: isLogin ? undefined : visit.toSeries(),
      },
      { most: MOST_WITHOUT_OTP, protectedSeconds: PROTECTED_SECONDS, joinSeconds: JOIN_SECONDS },
    );

    const { address } = visit;
    if (begun.outcome === 'refused') return deny(core, { userId, purpose, address }, NO_ROOM);
    if (begun.outcome === 'begun')
      return { kind: 'begun', state: toState(pending), isJoined: false };
    core.emit({ type: 'login-joined', userId, purpose, address });
    return { kind: 'begun', state: begun.state, isJoined: true };
  };

  /** Returns the digest of a sender. There is always a secret: '' only satisfies the compiler. */
  async function toSender({ readSender }: Visit, block: string): Promise<string> {
    const { sessionId = 'none', userAgent = '', languages = '' } = readSender();
    return shorten((await digest?.(sessionId, block, userAgent, languages)) ?? '');
  }
}

const NO_ROOM = toDenied(
  { reason: 'send-limit', retryAfterSeconds: PROTECTED_SECONDS },
  { limit: 'without-text' },
);

function createPending(
  core: Core,
  { purpose, newPhone, transaction }: NewPending,
  whose: Pick<PendingLogin, 'userId' | 'userIdType' | 'bucket'>,
): PendingLogin {
  const startedAt = core.now();
  return {
    version: 1,
    pendingId: core.randomId(),
    ...whose,
    purpose,
    transaction,
    replaces: newPhone?.replaces,
    startedAt,
    pendingUntil: startedAt + core.settings.pendingLoginSeconds * 1000,
  };
}

/** Asks the features for the browser of a user. The first one that knows it decides. */
async function findBucket({ features }: Core, userId: string, visit: Visit): Promise<string> {
  for (const feature of features) {
    if (feature.begins === undefined) continue;
    const known = await feature.begins(userId, visit);
    if (known !== null) return known.bucket;
  }
  return OTHER_BROWSERS;
}

/** Returns the name of an address block; empty if the address cannot be read. */
async function findBlock(core: Core, userId: string, address: string | undefined): Promise<string> {
  if (toIpAddress(address) === null) return '';
  const [own] = await core.userBlocks(userId, address);
  return own?.block ?? '';
}

function toState(pending: PendingLogin): PendingState {
  return { pending, sends: 0, otp: null, previous: null };
}

/**
 * Ends a pending login that no session will name. A joined one belongs to another request and
 * stays.
 */
export async function endUnused(core: Core, { state, isJoined }: BegunPending): Promise<void> {
  if (isJoined) return;
  // If the store fails, ignore it: no session names the login, so no one can continue it until it
  // expires.
  await core.store.pendingLogins.end(state.pending.pendingId).catch(() => false);
}
