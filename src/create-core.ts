import { randomUUID } from 'node:crypto';
import type { Core } from './core/context';
import type { Feature } from './core/feature';
import { readId } from './core/users';
import { createWarner, readFields } from './errors';
import { createKeyDeriver, createKeyedDigest, isPrintedSecret, type KeyedDigest } from './keys';
import { createUserBlocks } from './limits/address-block';
import { createNumberReader } from './limits/number-country';
import { createAddressKeys, createKeyReader, createNumberKeys } from './limits/number-keys';
import { createLimitTable, type LimitTable } from './limits/rows';
import { createMessageBuilder } from './messages/build-message';
import type { MessageBuilderOptions } from './messages/options';
import type { MessageRules, OpenGateway } from './open-gateway';
import type { Settings } from './read-options';
import { guardStore } from './stores/guarded-store';
import type { SmsOtpStore } from './stores/store';

/** Creates the context that all decisions share. */
export function createCore(
  settings: Settings,
  { gateway, messageRules }: OpenGateway,
  store: SmsOtpStore,
  emit: Core['emit'],
  { features, toPhoneLister }: FeatureParts,
): Core {
  const { getUserId = readId, loadUser, now, secret, strategyName } = settings;
  const derivers = secret.map(createKeyDeriver);
  const createDigests = (label: string): readonly KeyedDigest[] =>
    // A value of one instance is not accepted by another one with the same secret.
    derivers.map((derive) => createKeyedDigest(() => derive(`${strategyName} ${label}`)));
  const warn = createWarner();
  const guarded = guardStore(store, now, settings.onEvent && emit, warn);
  const readNumber = createNumberReader();
  const limits = readLimits(settings);
  const readKeys = createKeyReader(derivers.map((derive) => () => derive('number-keys')));
  if (secret.some(isPrintedSecret)) {
    warn(
      'SMS_OTP_PRINTED_SECRET',
      'The secret is printed in the documentation, so it is public, and is refused in ' +
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
    listPhones: toPhoneLister({ getUserId, warn, readNumber }),
    loadUser,
    getUserId,
    hasListener: settings.onEvent !== undefined,
    store: guarded,
    features,
    buildMessage: createMessageBuilder(toMessageSettings(settings, messageRules)),
    numberKeys: createNumberKeys(readNumber, readKeys),
    addressKeys: createAddressKeys(readKeys),
    readNumber,
    createDigests,
    userBlocks: createUserBlocks(createDigests('user-blocks')),
    phoneIds: createDigests('phone-ids'),
    random: Math.random,
    randomId: randomUUID,
  };
}

/** The parts of the core that depend on features. */
interface FeatureParts {
  /** May be filled later: no feature is called before the first request. */
  readonly features: readonly Feature[];
  /** Creates the list of a user's numbers that may get messages. */
  readonly toPhoneLister: (parts: PhoneParts) => Core['listPhones'];
}

/** What is needed to read the numbers of an app. */
export type PhoneParts = Pick<Core, 'getUserId' | 'warn' | 'readNumber'>;

/**
 * Returns the factors whose codes can be guessed: those that send their codes, and typed ones. A
 * response to a challenge cannot.
 */
function listGuessable(factors: Settings['factors']): readonly string[] {
  const guessable = factors.filter((factor) => readFields(factor).createOptions === undefined);
  return ['sms', ...guessable.map(({ name }) => name)];
}

function readLimits({ limits, factors, ...settings }: Settings): LimitTable {
  const hasKnownBrowsers = settings.knownBrowsers !== false;
  const gapSeconds = settings.resendCooldownSeconds;
  return createLimitTable({ limits, hasKnownBrowsers, gapSeconds }, listGuessable(factors));
}

export function toMessageSettings(settings: Settings, rules: MessageRules): MessageBuilderOptions {
  const { messages, appName, codeValiditySeconds, getLocale } = settings;
  return { ...messages, ...rules, appName, codeValiditySeconds, getLocale };
}
