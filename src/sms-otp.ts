import { randomUUID } from 'node:crypto';
import { type ChangeAndEnd, createChangeAndEnd } from './core/end-others';
import {
  createForgottenBrowsers,
  createKnownBrowsersFeature,
  type KnownBrowsersMembers,
} from './features/known-browsers/feature';
import {
  createForgottenLogins,
  createLoginsFeature,
  type LoginsParts,
} from './features/logins/feature';
import { createAppFactors, type FactorsPart } from './features/factors/feature';
import { createPhonesFeature, type PhonesPart } from './features/phones/feature';
import { createBookLister, type PhoneBook } from './features/phones/phone-book';
import { createPolicies } from './features/policies/policies';
import {
  createForgottenCodes,
  createRecoveryFeature,
  type RecoveryPart,
} from './features/recovery-codes/feature';
import {
  createForgottenDevices,
  createTrustedDevices,
  type DevicesPart,
} from './features/trusted-devices/feature';
import { createWarner, optionError, readFields } from './errors';
import { createKeyDeriver, createKeyedDigest, isPrintedSecret, type KeyedDigest } from './keys';
import { createUserBlocks } from './limits/address-block';
import { withBuiltIns } from './limits/built-in';
import { createNumberReader } from './limits/number-country';
import { createNumberKeys } from './limits/number-keys';
import { createLimitTable, type LimitTable } from './limits/rows';
import { createUserAdmin } from './core/admin';
import type { AppUserId, Core } from './core/context';
import { createEmitter } from './core/emit';
import type { Feature } from './core/feature';
import { refundUnusable } from './core/charge-send';
import { createFactorOptions } from './core/factor-options';
import { finishLetIn } from './core/let-in';
import { createResendOtp } from './core/resend-otp';
import { createGivenPhone } from './core/given-phone';
import { createSendOtp } from './core/send-otp';
import { createSms } from './core/sms-factor';
import { createUserFactors, type UserFactors } from './core/user-factors';
import { readId, toUserIdText } from './core/users';
import { createVerifyOtp } from './core/verify-otp';
import { createBeginPending, endUnused } from './core/pending';
import { createMessageBuilder } from './messages/build-message';
import { findServedLocales } from './messages/locales';
import { measureTexts, type MessageMeasure } from './messages/measure';
import type { MessageBuilderOptions } from './messages/options';
import type { MiddlewareContext } from './middleware/context';
import { createMarkReader } from './middleware/guard';
import { currentUser } from './middleware/handler';
import { createReturnPages } from './middleware/kept-page';
import { createRequestLogins } from './middleware/request-logins';
import { createMiddlewares, type Middlewares, type VerifyWithPart } from './middleware/middlewares';
import { defaultPassport, isOldPassport, type PassportInstance } from './middleware/passport';
import {
  createPreferredFinder,
  type SmsOtpSettings,
  toPublicSettings,
} from './middleware/public-settings';
import { SessionSlot } from './middleware/session-slot';
import { createUserFields } from './middleware/user-fields';
import { createAuthenticate, OtpStrategy, type StrategyCallback } from './middleware/strategy';
import type * as OpenGatewayModule from './open-gateway';
import type { MessageRules, OpenGateway } from './open-gateway';
import type * as OptionsModule from './options';
import type { Settings, SmsOtpOptions } from './options';
import { guardStore, type GuardedStore } from './stores/guarded-store';
import { memoryStore } from './stores/memory/memory-store';
import type { SmsOtpStore } from './stores/store';
import type { UserAdmin } from './user-admin';

/** What `createSmsOtp` returns, whatever is configured. */
export interface SmsOtpBase extends Middlewares, UserAdmin, KnownBrowsersMembers {
  /** Facts about the options that pages need. */
  readonly settings: SmsOtpSettings;
  /**
   * Returns whether the user has something to pass a second factor with: a number that a login
   * would text, a confirmed one of the phone book, a factor, or recovery codes that are left, or
   * were spent, until `unlockUser` enables codes. For `isRequiredFor` of an app whose users add
   * their first number after a login. Rejects when a callback or the store fails: treat that as
   * true, as `isRequiredFor` does.
   * @throws {TypeError} when the user has no id.
   */
  readonly canPassSecondFactor: (user: Express.User) => Promise<boolean>;
  /**
   * Loads what the first login needs and authenticates with the gateway, so that the first user
   * does not wait for it.
   * @throws {SmsOtpError} when the gateway or the store fails: all the rest is loaded, and the
   * first login tries again.
   */
  readonly warmUp: () => Promise<void>;
  /** Stops new sends, lets calls in flight end, and closes the client if it was made here. */
  readonly close: () => Promise<void>;
}

/**
 * Everything `createSmsOtp` returns. One call makes all of it, because the parts must share their
 * options.
 */
export type SmsOtp<O extends PartOptions = SmsOtpOptions> = SmsOtpBase &
  Where<O, 'factors' | 'recoveryCodes', VerifyWithPart> &
  Where<O, 'factors', FactorsPart> &
  Where<O, 'phoneBook', PhonesPart> &
  Where<O, 'recoveryCodes', RecoveryPart> &
  Where<O, 'trustedDevices', DevicesPart> &
  WhereOn<O, 'logins', LoginsParts>;

/**
 * Parts that exist if one of their options is given, may exist where the type leaves that open, and
 * are absent otherwise.
 */
type Where<O, Option extends keyof PartOptions, Parts> = [Given<O, Option>] extends [never]
  ? { readonly [Name in keyof Parts]?: undefined }
  : 'given' extends Given<O, Option>
    ? Parts
    : { readonly [Name in keyof Parts]?: Parts[Name] | undefined };

/** Whether each of some options is given or the type leaves that open; never: all are absent. */
type Given<O, Option extends keyof PartOptions> = Option extends keyof O
  ? undefined extends O[Option]
    ? 'open'
    : 'given'
  : never;

/** Parts that exist unless their option is `false`; where the type leaves that open, they may. */
type WhereOn<O, Option extends keyof PartOptions, Parts> = Option extends keyof O
  ? // In an intersection with the options of this package, `false` becomes `false & object`.
    [Exclude<Extract<O[Option], false>, object>] extends [never]
    ? Parts
    : [Exclude<O[Option], false>] extends [never]
      ? { readonly [Name in keyof Parts]?: undefined }
      : { readonly [Name in keyof Parts]?: Parts[Name] | undefined }
  : Parts;

/** A type parameter that is given a part accepts any name beside it. */
type NoOthers<O> = {
  readonly [Name in Exclude<keyof O & string, keyof SmsOtpOptions>]: `there is no option ${Name}`;
};

/** The options that add parts. */
type PartOptions = Pick<
  SmsOtpOptions,
  'factors' | 'phoneBook' | 'recoveryCodes' | 'trustedDevices' | 'logins'
>;

/** Everything behind one set of options. */
class SmsOtpContext {
  readonly core: Core;
  readonly middleware: MiddlewareContext;
  readonly members: object;
  readonly publicSettings: SmsOtpSettings;
  readonly canPassSecondFactor: UserFactors['canPassSecondFactor'];
  readonly changeAndEnd: ChangeAndEnd;
  readonly close: () => Promise<void>;

  constructor(options: SmsOtpOptions) {
    const settings = loadOptions().readOptions(options);
    const { onEvent, now, store = memoryStore({ now }) } = settings;
    const emit = createEmitter(onEvent);
    const shared = { now, tokenStore: store.tokens };
    const opened = loadOpenGateway().openGateway(options.gateway, shared);
    checkGateway(settings, opened);
    // Without a listener the client does not create any events.
    const unsubscribe = onEvent && opened.subscribe(emit);
    const features: Feature<MiddlewareContext>[] = [];
    const core = createCore(settings, opened, store, emit, features);
    features.push(...listFeatures(core, settings, opened));
    const userFactors = createUserFactors(core);
    this.core = core;
    this.canPassSecondFactor = userFactors.canPassSecondFactor;
    this.changeAndEnd = createChangeAndEnd(core);
    const { changeAndEnd } = this;
    const parts = { userFactors, changeAndEnd };
    this.middleware = createMiddlewareContext(settings, core, parts, opened, store);
    this.members = joinMembers(features, this.middleware);
    this.publicSettings = toPublicSettings(
      settings,
      findServedLocales(settings.messages),
      createPreferredFinder(core, userFactors.listFactors, this.middleware),
    );
    this.close = async () => {
      await opened.close();
      unsubscribe?.();
    };
  }
}

/**
 * The Passport strategy. `createSmsOtp` makes and registers one; another is for frameworks that
 * construct their own, such as NestJS: pass the same `gateway` client and the same `store` to both.
 */
export class SmsOtpStrategy extends OtpStrategy {
  /**
   * @param done Appended by NestJS: called with the verified user, and may answer with another or
   * none.
   * @throws {TypeError} as `createSmsOtp` does.
   */
  constructor(options: SmsOtpOptions | SmsOtpContext, done?: StrategyCallback) {
    const { middleware } = options instanceof SmsOtpContext ? options : new SmsOtpContext(options);
    super(middleware.strategyName, createAuthenticate(middleware, done));
  }
}

/**
 * Checks the options, makes all middlewares from them and registers the strategy with Passport.
 * @throws {TypeError} that names the option when one is missing, unknown, of a wrong type or beyond
 * its ceiling.
 */
export function createSmsOtp<const O extends PartOptions>(
  // The compiler suggests a name for a misspelt option only where the others are not a type
  // parameter's.
  options: Omit<SmsOtpOptions, keyof PartOptions> & O & NoOthers<O>,
  ...others: readonly never[]
): SmsOtp<O> {
  if (others.length > 0) throw new TypeError(SECOND_ARGUMENT);
  const context = new SmsOtpContext(options);
  const { middleware, core, changeAndEnd, canPassSecondFactor, close } = context;
  const warmUp = async (): Promise<void> => {
    // Reading any number loads the plans of all countries; this one is fictional.
    await Promise.all([core.gateway.warmUp(), core.numberKeys('+12025550100')]);
  };
  const strategy = new SmsOtpStrategy(context);
  register(strategy, middleware);
  const middlewares = createMiddlewares(middleware, strategy);
  const admin = createUserAdmin(core, changeAndEnd);
  const parts = { ...middlewares, ...admin, settings: context.publicSettings };
  const made: object = { ...parts, canPassSecondFactor, warmUp, close, ...context.members };
  // Which parts exist depends on the same options as the type.
  return made as SmsOtp<O>;
}

/**
 * Returns how long each text message of these options may become, and which character makes it
 * long. Takes some milliseconds.
 * @throws {TypeError} as `createSmsOtp` does.
 */
export function measureMessages(options: SmsOtpOptions): readonly MessageMeasure[] {
  const settings = loadOptions().readOptions(options);
  const rules = loadOpenGateway().readMessageRules(options.gateway);
  return measureTexts(toMessageSettings(settings, rules));
}

const SECOND_ARGUMENT =
  'createSmsOtp takes its options alone: loadUser finds the user; a verify callback belongs to ' +
  'new SmsOtpStrategy(options, callback)';

/** Registers the strategy, and warns when that takes the place of another one. */
function register(
  strategy: SmsOtpStrategy,
  { passport, strategyName, warn }: MiddlewareContext,
): void {
  // Missing in the types, part of Passport since 0.1.
  const { _strategies: registered } = readFields(passport);
  if (Object.hasOwn(readFields(registered), strategyName)) {
    warn(
      'SMS_OTP_STRATEGY_TWICE',
      `Passport has a strategy ${strategyName} already, and passport.authenticate can no longer ` +
        'find it: give each createSmsOtp its own strategyName, or its own passport: new Passport()',
    );
  }
  passport.use(strategyName, strategy);
}

/** Loads zod and the schemas at the first call, so that importing the package stays cheap. */
function loadOptions(): typeof OptionsModule {
  return require('./options') as typeof OptionsModule;
}

/** Loads the client at the first call, so that importing the package stays cheap. */
function loadOpenGateway(): typeof OpenGatewayModule {
  return require('./open-gateway') as typeof OpenGatewayModule;
}

/** Checks what depends on the kind of gateway. */
function checkGateway({ messages, policies }: Settings, opened: OpenGateway): void {
  const { isClient, writesMessages } = opened;
  const needing = isClient ? undefined : policies.find(({ needsClient }) => needsClient === true);
  if (needing !== undefined) {
    const problem = `has ${needing.name}, which needs prices or lookups of a GatewayClient`;
    throw optionError('createSmsOtp', 'policies', problem);
  }
  const text = writesMessages ? undefined : findOwnText(messages);
  if (text !== undefined)
    throw optionError('createSmsOtp', text, 'is never sent: this gateway has texts of its own');
}

/** Returns the option that shapes the text; undefined: none does. */
function findOwnText({ template, autofillHost, perCountry = {} }: Settings['messages']) {
  if (template !== undefined) return 'messages.template';
  if (autofillHost !== undefined) return 'messages.autofillHost';
  const national = Object.entries(perCountry).find(([, own]) => own.template !== undefined);
  return national && `messages.perCountry.${national[0]}.template`;
}

function toMessageSettings(settings: Settings, rules: MessageRules): MessageBuilderOptions {
  const { messages, appName, codeValiditySeconds, getLocale } = settings;
  return { ...messages, ...rules, appName, codeValiditySeconds, getLocale };
}

/** Joins what the features add to the object that `createSmsOtp` returns. */
function joinMembers(
  features: readonly Feature<MiddlewareContext>[],
  middleware: MiddlewareContext,
): object {
  return Object.assign({}, ...features.map((feature) => feature.members?.(middleware))) as object;
}

/** Lists the features that are configured, in the order in which the core calls them. */
function listFeatures(
  core: Core,
  { allowedCountries, policies, fields, ...settings }: Settings,
  { policyGateway }: OpenGateway,
): readonly Feature<MiddlewareContext>[] {
  const { logins, trustedDevices, knownBrowsers, phoneBook, factors, recoveryCodes } = settings;
  const checked = withBuiltIns(allowedCountries, policies);
  const devices = trustedDevices && { ...trustedDevices, field: fields.trustDevice };

  return [
    createPolicies({ core, policies: checked, gateway: policyGateway }),
    // First of those that a success asks: a login that has ended refuses it.
    logins === false ? createForgottenLogins(core) : createLoginsFeature(core, logins),
    devices === undefined ? createForgottenDevices(core) : createTrustedDevices(core, devices),
    knownBrowsers === false
      ? createForgottenBrowsers(core)
      : createKnownBrowsersFeature(core, knownBrowsers),
    // What a user has to pass a second factor with: callbacks of the app before our store.
    ...(phoneBook === undefined ? [] : [createPhonesFeature(core, phoneBook)]),
    createSms(core, fields.code, settings.getPhone !== undefined),
    ...(factors.length === 0 ? [] : [createAppFactors(core, factors, fields.code)]),
    recoveryCodes === undefined
      ? createForgottenCodes(core)
      : createRecoveryFeature(core, recoveryCodes, fields.recoveryCode),
  ];
}

function createCore(
  settings: Settings,
  { gateway, messageRules }: OpenGateway,
  store: SmsOtpStore,
  emit: Core['emit'],
  features: readonly Feature[],
): Core {
  const { getUserId = readId, loadUser, now, secret, strategyName } = settings;
  const derivers = secret.map(createKeyDeriver);
  const createDigests = (label: string): readonly KeyedDigest[] =>
    // What one instance makes is worth nothing to another with the same secret.
    derivers.map((derive) => createKeyedDigest(() => derive(`${strategyName} ${label}`)));
  const warn = createWarner();
  const guarded = guardStore(store, now, settings.onEvent && emit, warn);
  const readNumber = createNumberReader();
  const limits = readLimits(settings);
  if (secret.some(isPrintedSecret)) {
    warn(
      'SMS_OTP_PRINTED_SECRET',
      'The secret is printed in the documents, so that everybody knows it, and is refused in ' +
        'production: `openssl rand -base64 32` makes one',
    );
  }
  return {
    settings,
    gateway,
    emit,
    warn,
    now,
    limits,
    listPhones: createPhoneLister(settings, { getUserId, warn, readNumber }),
    loadUser,
    getUserId,
    hasListener: settings.onEvent !== undefined,
    store: guarded,
    features,
    buildMessage: createMessageBuilder(toMessageSettings(settings, messageRules)),
    numberKeys: createNumberKeys(
      readNumber,
      derivers.map((derive) => () => derive('number-keys')),
    ),
    readNumber,
    createDigests,
    userBlocks: createUserBlocks(createDigests('user-blocks')),
    phoneIds: createDigests('phone-ids'),
    random: Math.random,
    randomId: randomUUID,
  };
}

/** A challenge of ours cannot be guessed: only texts and typed factors can. */
function listGuessable(factors: Settings['factors']): readonly string[] {
  return ['sms', ...factors.filter((factor) => 'check' in factor).map(({ name }) => name)];
}

function readLimits({ limits, factors, ...settings }: Settings): LimitTable {
  const hasKnownBrowsers = settings.knownBrowsers !== false;
  const gapSeconds = settings.resendCooldownSeconds;
  return createLimitTable({ limits, hasKnownBrowsers, gapSeconds }, listGuessable(factors));
}

/** Prepares the checks of all factors. Messages list ours first. */
function joinFactors(core: Core): MiddlewareContext['factors'] {
  const isOfApp = (feature: Feature): number => (feature.name === 'factors' ? 1 : 0);
  const ordered = core.features.toSorted((one, other) => isOfApp(one) - isOfApp(other));
  const factors = ordered.flatMap((feature) => feature.factors ?? []);

  return new Map(
    factors.map((factor) => {
      const verifyOtp = createVerifyOtp(core, factor);
      const createOptions = createFactorOptions(core, factor);
      return [factor.method, { factor, verifyOtp, createOptions }];
    }),
  );
}

/** The app knows the numbers itself, or they are in its phone book. */
function createPhoneLister(
  { getPhone, phoneBook }: Settings,
  parts: Omit<Parameters<typeof createBookLister>[0], 'phoneBook'>,
): Core['listPhones'] {
  if (getPhone !== undefined) return createGivenPhone({ ...parts, getPhone });
  if (phoneBook !== undefined) return createBookLister({ ...parts, phoneBook });
  throw optionError('createSmsOtp', 'getPhone', 'is required without phoneBook');
}

/** Only `false` means no: neither any other value nor a throw does. */
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

function createMiddlewareContext(
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
      // It is what `getUserId` has returned.
      await settings.endOtherSessions?.(userId as AppUserId, req);
    },
  };
}

/** @throws {TypeError} for a Passport with which no login would succeed. */
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

/** Two containers may give their processes the same number, hardly in the same millisecond. */
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
