export { createSmsOtp, measureMessages, SmsOtpStrategy } from './sms-otp';
export type { SmsOtp, SmsOtpBase } from './sms-otp-parts';
export type { KnownBrowsersMembers } from './features/known-browsers/feature';
export type { LimitsOption, MaybeUser, PathsOption, SmsOtpOptions } from './options';
export type { FactorFacts, FieldNames, SmsOtpSettings } from './middleware/public-settings';
export type { Paths } from './middleware/paths';
export type { FirstFactorStrategy } from './middleware/first-factor';
export type { PhoneBook, PhoneEntry } from './features/phones/phone-book';
export type {
  ChallengeFactor,
  CodeFactor,
  DeliveredFactor,
  Factor,
  FactorChallenged,
  FactorCheck,
  FactorResponse,
} from './features/factors/factors';
export type { KnownBrowsersOption } from './features/known-browsers/known-browsers';
export type { RecoveryCodesOption } from './features/recovery-codes/recovery-codes';
export { memoryStore, type MemoryStoreOptions } from './stores/memory/memory-store';
export type * from './stores/store';
export type * from './limits/policy';
export type { LiftedLimits } from './limits/lift';
export type { LimitName } from './limits/table';
export type { UnlockedUser, UnlockOptions } from './core/admin';
export type { UserAdmin, UserExport } from './user-admin';
export type { Limits, NumberLimits, SharedLimit, UserLimits } from './limits/options';
export { REASONS } from './core/outcome';
export type * from './core/outcome';
export type { Method } from './method';
export type {
  DecisionEvent,
  DeviceEnd,
  LifeEvent,
  LoginEnd,
  LoginEvent,
  SmsOtpEvent,
  UnusablePhone,
} from './events';
export type { VerifiedMark } from './core/users';
export type { ListedLogin, LoginsOption } from './features/logins/logins';
export type { AppUserId } from './core/context';
export type { LoginReference } from './core/visit';
export type { LoginEntry, LoginsPart } from './features/logins/feature';
export type { DevicesPart } from './features/trusted-devices/feature';
export type {
  ListedDevice,
  TrustedDevices,
  TrustedDevicesOption,
} from './features/trusted-devices/trusted-devices';
export { noticeText, type NoticeTextOptions } from './core/notice-text';
export { securityNotice, type SecurityNotice, type SecurityNoticeOptions } from './security-notice';
export { MESSAGE_LOCALES, type MessageLocale } from './messages/locales';
export type { MessageMeasure } from './messages/measure';
export { sanitizeVariable } from './messages/sanitize';
export type {
  CountryMessage,
  MessageContext,
  MessageOption,
  MessagesOption,
} from './messages/options';
export type { FactorsPart } from './features/factors/feature';
export type { PhonesPart } from './features/phones/feature';
export type { RecoveryPart } from './features/recovery-codes/feature';
export type { VerifyWithPart } from './middleware/middlewares';
export type {
  EnrollOptions,
  FactorName,
  FirstFactorOptions,
  GuardOptions,
  PassportOptions,
  PhoneOptions,
  RedirectOptions,
  RemoveOptions,
  SecondFactorOptions,
  SendOptions,
  StepUpOptions,
  VerifyOptions,
} from './middleware/options';
export type { PendingSlot, SmsOtpSession, SmsOtpSessionData } from './middleware/session-data';
export type {
  GenerateOptions,
  RecoveryCodesPart,
} from './features/recovery-codes/recovery-codes-part';
export type { ListedPhone } from './features/phones/change-phones';
export type { Phones } from './features/phones/phones';
export type { SmsOtpStatus } from './middleware/status';
export type {
  SmsOtpAuthInfo,
  SmsOtpFailureInfo,
  StrategyCallback,
  StrategyDone,
} from './middleware/strategy';
export type { GatewayClient } from './client/gateway-client';
export type { GatewayClientOptions } from './client/options';
export type {
  GatewayEvent,
  GatewayEventListener,
  OtpCall,
  OtpGateway,
  OtpText,
  Permit,
  PinVerdict,
  TextedOtp,
  TypedPin,
} from './gateway';
export {
  FirstFactorError,
  GatewayAbortedError,
  GatewayBusyError,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  RecoveryCodesError,
  SecondFactorError,
  SessionError,
  SmsOtpError,
  StoreError,
  UsageError,
} from './errors';
export type { AnySmsOtpError, GatewayDetail, GatewayRejection } from './errors';
export type { SafeCause } from './foreign-error';
