export { GatewaySimulator } from './gateway-simulator';
export type { Randomness, SimulatorOptions } from './options';
export type { Readings } from './readings';
export type { Call } from './calls/call';
export type { Fault, FaultName } from './faults';
export type { SentMessage, SimulatorStats } from './state/history';
export type { Subscriber, Subscribers } from './state/subscribers';
