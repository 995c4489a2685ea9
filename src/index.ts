export { createSmsOtp, messageReport, SmsOtpStrategy, type SmsOtp, type SmsOtpBase } from './sms-otp';
export type { LimitsOption, MaybeUser, SmsOtpOptions } from './options';
export type { PhoneBook, PhoneEntry } from './enrolment/phone-book';
export type { Factor, FactorCheck } from './factors/factor';
export type { RecoveryCodesOption, TrustedDevicesOption } from './factors/factor-options';
export { memoryStore, type MemoryStoreOptions } from './stores/memory-store';
export type {
  Challenge,
  ChallengeStore,
  Charge,
  Claim,
  Count,
  Counter,
  CounterStore,
  DeviceRotation,
  DeviceStore,
  NoteStore,
  Purpose,
  RecoveryCodeStore,
  RenewedToken,
  SmsOtpStore,
  StoredToken,
  TokenStore,
  Transaction,
  TrustedDevice,
  UserId,
} from './stores/store';
export type {
  Policy,
  PolicyAnswer,
  PolicyCharge,
  PolicyContext,
  PolicyEvent,
  PolicyReason,
  PolicyStage,
  PolicyTools,
  SendSettlement,
  VerifiedContext,
} from './policies/policy';
export { allowedCountries } from './policies/allowed-countries';
export { hlrSimChange, type HlrSimChange, type HlrSimChangeOptions } from './policies/lookups/hlr-sim-change';
export {
  numberLookups,
  type NumberLookups,
  type NumberLookupsOptions,
} from './policies/lookups/number-lookups';
export type {
  SimChangeCheck,
  SimChangeDate,
  SimChangeProvider,
  SimChangeQuestion,
} from './policies/lookups/sim-change-provider';
export { numberCheck, type NumberCheckOptions } from './policies/number-check';
export { simChange, type SimChangeOptions } from './policies/sim-change';
export { conversionBreaker, type ConversionBreakerOptions } from './policies/conversion-breaker';
export { numberTypes, type NumberTypesOptions } from './policies/number-types';
export { prefixVelocity, type PrefixVelocityOptions } from './policies/prefix-velocity';
export {
  priceCeiling,
  type BalanceOptions,
  type CountryAmount,
  type Network,
  type PriceBudgets,
  type PriceCeilingOptions,
} from './policies/price-ceiling';
export type { PolicyMode } from './policies/policy-options';
export type { FindTrafficNetwork } from './policies/traffic-networks';
export type { Limit, Limits, SendLimit } from './policies/limits';
export { REASONS } from './login/outcome';
export type {
  CancelOutcome,
  Method,
  PendingStatus,
  PhoneChoice,
  PhoneOutcome,
  Reason,
  Refusal,
  SendOutcome,
  SmsOtpOutcome,
  VerifyOutcome,
} from './login/outcome';
export type { LoginEvent, SmsOtpEvent } from './login/events';
export type { DecisionEvent, DeviceEnd, LifeEvent } from './login/life-events';
export type { ListedDevice, TrustedDevices } from './login/trusted-devices';
export { MESSAGE_LOCALES, type MessageLocale } from './messages/locales';
export type { MessageMeasure } from './messages/measure-messages';
export type { CountryMessage } from './messages/message-settings';
export { sanitizeVariable } from './messages/sanitize-variable';
export type { MessageContext, MessageOption } from './messages/build-message';
export type { DevicesPart, FactorsPart, PhonesPart, RecoveryPart } from './express/edge';
export type { SmsOtpAuthInfo, SmsOtpFailureInfo } from './express/authenticate';
export type { GuardOptions, MaxAgeOptions } from './express/guard';
export type { PassportOptions } from './express/log-in';
export type { RedirectOptions } from './express/refuse';
export type { SendOptions } from './express/send-middleware';
export type { PendingSlot, SmsOtpSession, SmsOtpSessionData, VerifiedMark } from './express/session-data';
export type { RecoveryCodesPart } from './express/recovery-codes';
export type { StepUpOptions } from './express/pending-middleware';
export type { ListedPhone } from './enrolment/change-phones';
export type { EnrolOptions, PhoneOptions, RemoveOptions } from './express/phone-options';
export type { Phones } from './express/phones';
export type { SmsOtpStatus } from './express/status';
export type { StrategyCallback, StrategyDone } from './express/confirm-user';
export type { VerifyOptions } from './express/verify-middleware';
export type { GatewayClient } from './client/gateway-client';
export type { GatewayClientOptions } from './client/client-options';
export type { GatewayEvent } from './client/events';
export {
  FirstFactorError,
  GatewayBusyError,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  SecondFactorError,
  SessionError,
  SmsOtpError,
  StoreError,
  StrategyUsageError,
} from './errors';
export type { AnySmsOtpError, SafeCause } from './errors';
