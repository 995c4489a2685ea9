export { GatewaySimulator } from './gateway-simulator';
export type { SimulatorOptions } from './options';
export type { Readings } from './readings';
export type { Call } from './calls/call';
export type { Fault, FaultName } from './faults/fault';
export type { SentMessage } from './state/outbox';
export type { SimulatorStats } from './state/stats';
export type { Subscriber, Subscribers } from './state/subscribers';
export type { Randomness } from './state/clock';
