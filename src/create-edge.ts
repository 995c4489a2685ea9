import { MESSAGE } from './core/addresses';
import { refundUnusable } from './core/charge-send';
import type { AppUserId, Core } from './core/context';
import type { ChangeAndEnd } from './core/end-others';
import { createFactorOptions } from './core/factor-options';
import type { Feature, SentFactor } from './core/feature';
import { finishLetIn } from './core/let-in';
import { createBeginPending, endUnused } from './core/pending';
import { createResendOtp } from './core/resend-otp';
import { createSendOtp } from './core/send-otp';
import type { UserFactors } from './core/user-factors';
import { toUserIdText } from './core/users';
import { createVerifyOtp } from './core/verify-otp';
import { optionError } from './errors';
import type { MiddlewareContext } from './middleware/context';
import { createMarkReader } from './middleware/guard';
import { currentUser } from './middleware/handler';
import { createReturnPages } from './middleware/kept-page';
import { defaultPassport, isOldPassport, type PassportInstance } from './middleware/passport';
import { createRequestLogins } from './middleware/request-logins';
import { SessionSlot } from './middleware/session-slot';
import { createUserFields } from './middleware/user-fields';
import type { OpenGateway } from './open-gateway';
import type { Settings } from './read-options';
import type { SmsOtpStore } from './stores/store';

/** Creates the context that all middlewares share. */
export function createMiddlewareContext(
  settings: Settings,
  core: Core,
  { userFactors, changeAndEnd }: AccountParts,
  { writesMessages }: OpenGateway,
  store: SmsOtpStore,
): MiddlewareContext {
  const { strategyName, fields, sessionKey, keepSessionKeys, isRequiredFor, now } = settings;
  const slot = new SessionSlot(sessionKey, keepSessionKeys, listCookies(settings), core.warn);
  const sessions = core.features.find((feature) => feature.sessions !== undefined)?.sessions;
  const logins = createRequestLogins(slot, sessions);
  const beginPending = createBeginPending(core);
  const sendOtp = createSendOtp(core, beginPending, userFactors.listFactors);
  return {
    passport: choosePassport(settings),
    strategyName,
    fields,
    slot,
    now,
    warn: core.warn,
    userFields: process.env.NODE_ENV === 'production' ? undefined : createUserFields(core.warn),
    processId: store.tokens.isInProcess === true ? nameProcess() : undefined,
    returnPages: createReturnPages(settings.returnToOrigins),
    paths: settings.paths,
    setup: createSetup(settings),
    logins,
    marks: createMarkReader(slot, core.getUserId, now, logins),
    hasOneOf: userFactors.hasOneOf,
    sendOtp,
    resendOtp: createResendOtp(core, sendOtp),
    factors: joinFactors(core),
    trustsDevices: settings.trustedDevices !== undefined,
    writesMessages,
    codeValiditySeconds: settings.codeValiditySeconds,
    maxAttempts: settings.maxAttempts,
    isRequiredFor: toRequiredCheck(isRequiredFor),
    getLocale: async (user, req) => settings.getLocale?.(user, req),
    getPreferredFactor: async (user, req) => settings.preferredFactor?.(user, req),
    getUserId: core.getUserId,
    beginPending,
    ...joinPendingLogins(core, slot),
    changeAndEnd: (req, id, reason, change, stays) => {
      const { pending, login: ofSession } = (req && slot.peek(req)) ?? {};
      const pendingId = stays?.pendingId ?? pending?.pendingId;
      const from = { ...stays, pendingId, loginId: ofSession?.loginId, address: req?.ip };
      return changeAndEnd(toUserIdText(id).userId, reason, from, change);
    },
    endOtherSessions: async (userId: unknown, req) => {
      // The app's own `getUserId` has returned this id.
      await settings.endOtherSessions?.(userId as AppUserId, req);
    },
  };
}

/**
 * Prepares the checks of all factors. Our own come first, because error messages list them in this
 * order.
 */
function joinFactors(core: Core): MiddlewareContext['factors'] {
  const isOfApp = (feature: Feature): number => (feature.name === 'factors' ? 1 : 0);
  const ordered = core.features.toSorted((one, other) => isOfApp(one) - isOfApp(other));
  const factors = ordered.flatMap((feature) => feature.factors ?? []);
  const sent = factors.filter((factor): factor is SentFactor => factor.delivery !== undefined);

  return new Map(
    factors.map((factor) => {
      // One form takes the codes of all factors that send them.
      const others = factor.method === MESSAGE ? sent.filter((one) => one !== factor) : [];
      const verifyOtp = createVerifyOtp(core, factor, others);
      const createOptions = createFactorOptions(core, factor);
      return [factor.method, { factor, verifyOtp, createOptions }];
    }),
  );
}

/**
 * Returns the check whether a user needs the second factor. Only `false` means no: any other value,
 * or an error, means yes.
 */
function toRequiredCheck(
  isRequiredFor: Settings['isRequiredFor'],
): MiddlewareContext['isRequiredFor'] {
  return async (user, req) => {
    try {
      return (await isRequiredFor?.(user, req)) !== false;
    } catch {
      return true;
    }
  };
}

interface AccountParts {
  readonly userFactors: UserFactors;
  readonly changeAndEnd: ChangeAndEnd;
}

function createSetup(settings: Settings): MiddlewareContext['setup'] {
  return {
    logsIn: false,
    hasSent: false,
    codePage: undefined,
    loginPage: undefined,
    passedOn: new WeakSet(),
    notRequiredRedirect: undefined,
    hasPhoneBook: settings.phoneBook !== undefined,
  };
}

/**
 * Returns the Passport instance.
 * @throws {TypeError} for a Passport with which no login would succeed.
 */
function choosePassport({ passport = defaultPassport }: Settings): PassportInstance {
  if (!isOldPassport(passport)) return passport;
  const problem =
    'is older than 0.6, whose req.logIn renews no session, so that no login would succeed: npm ' +
    'install passport@0.7';
  throw optionError('createSmsOtp', 'passport', problem);
}

/** Returns the names of our own cookies. */
function listCookies({ trustedDevices, knownBrowsers }: Settings): readonly string[] {
  return [trustedDevices, knownBrowsers].flatMap((option) => (option ? [option.cookieName] : []));
}

/**
 * Returns a name for this process. Two containers may give their processes the same number, but
 * hardly in the same millisecond.
 */
function nameProcess(): string {
  return `${process.pid}-${Math.floor(performance.timeOrigin)}`;
}

function joinPendingLogins(
  core: Core,
  slot: SessionSlot,
): Pick<
  MiddlewareContext,
  'endUnused' | 'findPending' | 'findNewest' | 'endOwn' | 'finishLetIn' | 'refundUnusable'
> {
  const { pendingLogins } = core.store;

  return {
    endUnused: (begun) => endUnused(core, begun),
    findPending: (pendingId) => pendingLogins.find(pendingId),
    async findNewest(req) {
      const user = currentUser(req);
      if (user === undefined) return null;
      const { userId } = toUserIdText(core.getUserId(user));
      return pendingLogins.findNewest(userId, slot.toSeries(req));
    },
    async endOwn({ pendingId, isJoined }) {
      if (isJoined !== true) await pendingLogins.end(pendingId);
    },
    finishLetIn: (letIn, visit) => finishLetIn(core, letIn, visit),
    refundUnusable: (sent) => refundUnusable(core, sent),
  };
}
