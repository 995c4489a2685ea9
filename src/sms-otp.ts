import { createUserAdmin } from './core/admin';
import { listSenders } from './core/choose-address';
import type { Core } from './core/context';
import { createEmitter } from './core/emit';
import { type ChangeAndEnd, createChangeAndEnd } from './core/end-others';
import type { Feature } from './core/feature';
import { createGivenPhone } from './core/given-phone';
import { createSms } from './core/sms-factor';
import { joinFields } from './core/success';
import { createUserFactors, type UserFactors } from './core/user-factors';
import { createCore, type PhoneParts, toMessageSettings } from './create-core';
import { createMiddlewareContext } from './create-edge';
import { optionError, readFields } from './errors';
import { isDelivered } from './features/factors/delivered';
import { createAppFactors } from './features/factors/feature';
import {
  createForgottenBrowsers,
  createKnownBrowsersFeature,
} from './features/known-browsers/feature';
import { createForgottenLogins, createLoginsFeature } from './features/logins/feature';
import { createPhonesFeature } from './features/phones/feature';
import { createBookLister } from './features/phones/phone-book';
import { createPolicies } from './features/policies/policies';
import { createForgottenCodes, createRecoveryFeature } from './features/recovery-codes/feature';
import { createForgottenDevices, createTrustedDevices } from './features/trusted-devices/feature';
import type { GatewayEventListener, OtpGateway } from './gateway';
import { withBuiltIns } from './limits/built-in';
import { findServedLocales } from './messages/locales';
import { measureTexts, type MessageMeasure } from './messages/measure';
import type { MiddlewareContext } from './middleware/context';
import { createMiddlewares } from './middleware/middlewares';
import {
  createPreferredFinder,
  type SmsOtpSettings,
  toPublicSettings,
} from './middleware/public-settings';
import { createAuthenticate, OtpStrategy, type StrategyCallback } from './middleware/strategy';
import type * as OpenGatewayModule from './open-gateway';
import type { OpenGateway } from './open-gateway';
import type { SmsOtpOptions } from './options';
import type * as ReadOptionsModule from './read-options';
import type { Settings } from './read-options';
import type { NoOthers, PartOptions, SmsOtp } from './sms-otp-parts';
import { memoryStore } from './stores/memory/memory-store';

/** The shared context of one set of options. */
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
    const unsubscribe = onEvent && subscribe([opened, ...listGateways(settings)], emit);
    const features: Feature<MiddlewareContext>[] = [];
    const toPhoneLister = (parts: PhoneParts) => createPhoneLister(settings, parts);
    const core = createCore(settings, opened, store, emit, { features, toPhoneLister });
    features.push(...listFeatures(core, settings, opened));
    const userFactors = createUserFactors(core);
    this.core = core;
    this.canPassSecondFactor = userFactors.canPassSecondFactor;
    this.changeAndEnd = createChangeAndEnd(core);
    const { changeAndEnd } = this;
    const parts = { userFactors, changeAndEnd };
    this.middleware = createMiddlewareContext(settings, core, parts, opened, store);
    this.members = joinFields(features.map((one) => one.members?.(this.middleware)));
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
 * The Passport strategy. `createSmsOtp` makes and registers one. Frameworks that construct their
 * own strategy, such as NestJS, make another: pass the same `gateway` client and the same `store`
 * to both.
 */
export class SmsOtpStrategy extends OtpStrategy {
  /**
   * Creates the strategy.
   * @param done Appended by NestJS: called with the verified user, and may answer with another
   * user, or none.
   * @throws {TypeError} as `createSmsOtp` does.
   */
  constructor(options: SmsOtpOptions | SmsOtpContext, done?: StrategyCallback) {
    const { middleware } = options instanceof SmsOtpContext ? options : new SmsOtpContext(options);
    super(middleware.strategyName, createAuthenticate(middleware, done));
  }
}

/**
 * Checks the options, creates all middlewares and registers the strategy with Passport.
 * @throws {TypeError} if an option is missing, unknown, of a wrong type or above its maximum. The
 * error names the option.
 */
export function createSmsOtp<const O extends PartOptions & { readonly allowedCountries?: unknown }>(
  // Without an option that is always given, the compiler would not infer O from options that add no
  // part: then `logins` would be possibly undefined. It suggests a name for a misspelled option
  // only if the other options are not those of a type parameter.
  options: Omit<SmsOtpOptions, keyof PartOptions> & O & NoOthers<O>,
  ...others: readonly never[]
): SmsOtp<O> {
  if (others.length > 0) throw new TypeError(SECOND_ARGUMENT);
  const context = new SmsOtpContext(options);
  const { middleware, core, changeAndEnd, canPassSecondFactor, close } = context;
  const warmUp = async (): Promise<void> => {
    // Reading any number loads the plans of all countries. This number is fictional.
    const senders = listSenders(core, 'login', undefined);
    const gateways = senders.map(({ delivery }) => delivery.gateway.warmUp());
    await Promise.all([...gateways, core.numberKeys('+12025550100')]);
  };
  const strategy = new SmsOtpStrategy(context);
  register(strategy, middleware);
  const middlewares = createMiddlewares(middleware, strategy);
  const admin = createUserAdmin(core, changeAndEnd);
  const parts = { ...middlewares, ...admin, settings: context.publicSettings };
  const made: object = { ...parts, canPassSecondFactor, warmUp, close, ...context.members };
  // The same options decide at run time and in the type which parts exist.
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

/** Registers the strategy, and warns if that replaces another one. */
function register(
  strategy: SmsOtpStrategy,
  { passport, strategyName, warn }: MiddlewareContext,
): void {
  // Missing in the types, but part of Passport since 0.1.
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
function loadOptions(): typeof ReadOptionsModule {
  return require('./read-options') as typeof ReadOptionsModule;
}

/** Loads the client at the first call, so that importing the package stays cheap. */
function loadOpenGateway(): typeof OpenGatewayModule {
  return require('./open-gateway') as typeof OpenGatewayModule;
}

/** Lists the gateways of the factors that send their codes. */
function listGateways({ factors }: Settings): readonly OtpGateway[] {
  return factors.filter(isDelivered).map(({ gateway }) => gateway);
}

/** Adds a listener for the events of some gateways. Returns a function that removes it. */
function subscribe(
  gateways: readonly Pick<OtpGateway, 'subscribe'>[],
  listener: GatewayEventListener,
): () => void {
  const unsubscribe = gateways.map((gateway) => gateway.subscribe?.(listener));
  return () => unsubscribe.forEach((stop) => stop?.());
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
    throw optionError('createSmsOtp', text, 'is never sent: this gateway writes its own messages');
}

/** Returns the option that changes the words of a message; undefined if there is none. */
function findOwnText({ template, autofillHost, perCountry = {} }: Settings['messages']) {
  if (template !== undefined) return 'messages.template';
  if (autofillHost !== undefined) return 'messages.autofillHost';
  const national = Object.entries(perCountry).find(([, own]) => own.template !== undefined);
  return national && `messages.perCountry.${national[0]}.template`;
}

/** Returns the features that are configured, in the order in which the core calls them. */
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
    // Of the features that a success asks, logins come first: they refuse it if its login has
    // ended.
    logins === false ? createForgottenLogins(core) : createLoginsFeature(core, logins),
    devices === undefined ? createForgottenDevices(core) : createTrustedDevices(core, devices),
    knownBrowsers === false
      ? createForgottenBrowsers(core)
      : createKnownBrowsersFeature(core, knownBrowsers),
    // `has` is called in this order: callbacks of the app come before our store.
    ...(phoneBook === undefined ? [] : [createPhonesFeature(core, phoneBook)]),
    createSms(core, fields.code, settings.getPhone !== undefined),
    ...(factors.length === 0 ? [] : [createAppFactors(core, factors, fields.code)]),
    recoveryCodes === undefined
      ? createForgottenCodes(core)
      : createRecoveryFeature(core, recoveryCodes, fields.recoveryCode),
  ];
}

/** Creates the list of a user's numbers, from `getPhone` or from the phone book. */
function createPhoneLister(
  { getPhone, phoneBook }: Settings,
  parts: PhoneParts,
): Core['listPhones'] {
  if (getPhone !== undefined) return createGivenPhone({ ...parts, getPhone });
  if (phoneBook !== undefined) return createBookLister({ ...parts, phoneBook });
  throw optionError('createSmsOtp', 'getPhone', 'is required without phoneBook');
}
