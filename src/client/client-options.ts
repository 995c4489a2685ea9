import type { NumbersAs } from '../protocol/otp';
import type { Variant } from '../protocol/paths';
import type { TokenStore } from '../stores/store';
import type { GatewayEventListener } from './events';

/** Milliseconds that a call may take in all: queue, authentication, connecting, headers and body. Each at most 60,000. */
export interface GatewayTimeouts {
  /** Opening one connection, TLS included. Default: 3,000. */
  readonly connectMs: number;
  /** One authentication. Default: 10,000. At most 12,000: the lease on the shared token lasts 15 s. */
  readonly authMs: number;
  /** Default: 10,000. */
  readonly generateMs: number;
  /** Default: 10,000. */
  readonly validateMs: number;
  /** Default: 2,000. */
  readonly lookupMs: number;
  /** Balance of either service. Default: 5,000. */
  readonly balanceMs: number;
  /** Price list of either service. Default: 30,000. */
  readonly pricingMs: number;
}

/** A certificate authority: PEM text or its bytes. */
export type CertificateAuthority = string | Buffer;

/** What a `GatewayClient` is made of. Unknown members are errors. */
export interface GatewayClientOptions {
  /**
   * The account's address, for example `https://gateway.example`; a path prefix is kept. Without credentials, query or
   * fragment. Plain http only to loopback (127.0.0.0/8, ::1, localhost).
   */
  readonly baseUrl: string;
  /** Which variant of the OTP interface the account speaks. OTP spec §1. */
  readonly variant: Variant;
  readonly username: string;
  readonly password: string;
  /** Form of "numeric" request members: digits in a string or a JSON number. Default: `string`. */
  readonly numbersAs?: NumbersAs | undefined;
  /** Longest pin the gateway makes, 4 to 10; a message is measured with it. Default: 10. */
  readonly maxPinDigits?: number | undefined;
  /** Seconds of token validity to ask for, 60 to 86,400. Variant A only. Default: the gateway's (1,800). */
  readonly tokenValiditySeconds?: number | undefined;
  /** Whether authenticating keeps the account's unexpired token, for several nodes. Variant A only. Default: true. */
  readonly preserveToken?: boolean | undefined;
  readonly timeouts?: Partial<GatewayTimeouts> | undefined;
  /** Connections at once, 1 to 1,000. Default: 50. */
  readonly connections?: number | undefined;
  /** Calls that wait for one of them, 0 to 20,000; the rest is refused at once. Default: 200. */
  readonly queueLimit?: number | undefined;
  /** Private certificate authorities, trusted besides the public ones. Verification cannot be switched off. */
  readonly ca?: CertificateAuthority | readonly CertificateAuthority[] | undefined;
  /** An outgoing http or https proxy; connections go through it by CONNECT. */
  readonly proxyUrl?: string | undefined;
  /** Shares the gateway's token between processes. Default: each client has its own. */
  readonly tokenStore?: TokenStore | undefined;
  /** Whether a validate answer without `payload` is a success. Not shown in OTP spec §1. Default: false. */
  readonly acceptMissingPayload?: boolean | undefined;
  readonly onEvent?: GatewayEventListener | undefined;
  /** The clock: milliseconds since 1970. Deadlines are not measured by it. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}
