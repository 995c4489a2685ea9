export {
  AppCheckError,
  appChecks,
  HOLES,
  isLoopbackUrl,
  type AppCheck,
  type AppCheckResult,
  type AppDescription,
  type AppRequest,
  type AppSimulator,
  type AppUser,
  type CsrfToken,
  type Fields,
  type GuardedPage,
  type Hole,
  type HoleName,
  type RunningApp,
  type TokenPlace,
} from './app/app-checks';
export {
  gatewayChecks,
  type GatewayCheck,
  type GatewayFailure,
  type GatewayUnderTest,
  type MakeGateway,
  type ReceivedText,
} from './gateway/gateway-checks';
export { phoneBookChecks, type PhoneBookCheck } from './phone-book-checks';
export { storeChecks, type PassSeconds, type StoreCheck } from './store/store-checks';
export { storeRace, type StoreRaceOptions } from './store/store-race';
