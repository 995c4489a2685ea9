export { GatewayClient } from './gateway-client';
export { otpGateway } from './otp-gateway';
export type { GatewayClientOptions, NumbersAs } from './options';
export type { CallOptions } from './call-options';
export type { HlrCalls, OtpCalls } from './calls';
export type {
  CallOutcome,
  GatewayCallEvent,
  GatewayCredentialsRefusedEvent,
  GatewayEvent,
  GatewayEventListener,
  GatewayFailingEvent,
  GatewayRefusingEvent,
  GatewayRecoveredEvent,
  PinVerdict,
  TokenRenewedEvent,
  TokenTakenOverEvent,
} from '../gateway';
export type { Balance, Currency, NetworkPrice, PriceList } from '../protocol/account';
export type { AdvancedStatus, CountryPrice, Lookup, LookupStatus } from '../protocol/hlr';
export type {
  Generated,
  GeneratedA,
  GeneratedB,
  GenerateInput,
  NumberForm,
  ValidateInput,
} from '../protocol/otp';
export type { CallName, Variant } from '../protocol/paths';
export type { RenewedToken, StoredToken, TokenStore } from '../stores/store';
export {
  GatewayAbortedError,
  GatewayBusyError,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  SmsOtpError,
  StoreError,
  type GatewayDetail,
  type GatewayRejection,
} from '../errors';
export type { SafeCause } from '../foreign-error';
