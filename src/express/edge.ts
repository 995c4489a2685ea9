import type { Request, RequestHandler } from 'express';
import type { TrustedDevices } from '../login/trusted-devices';
import type { EdgeParts } from './edge-parts';
import { createGuards, type Guards } from './guard';
import { createPendingMiddlewares, type PendingMiddlewares } from './pending-middleware';
import { createSend, type SendOptions } from './send-middleware';
import { createPhones, type Phones } from './phones';
import { createRecoveryCodesPart, type RecoveryCodesPart, type RecoveryParts } from './recovery-codes';
import { createStatus, type SmsOtpStatus } from './status';
import type { DeviceParts } from './trusted-device';
import { isOfApp } from './verifiers';
import { createVerify, type VerifyOptions } from './verify-middleware';

/** The parts that are there only where their option is given. */
type OptionalEdge = Partial<FactorsEdge & PhonesEdge & RecoveryEdge & DevicesEdge>;

/** What an app puts into its routes. */
export interface Edge extends Guards, PendingMiddlewares, OptionalEdge {
  readonly send: (options?: SendOptions) => RequestHandler;
  readonly verify: (options?: VerifyOptions) => RequestHandler;
  readonly status: (req: Request) => SmsOtpStatus;
}

/** Where `factors` has one. */
export interface FactorsEdge {
  /** `verify` for the code of another factor. @throws {TypeError} when `factors` has none of that name. */
  readonly verifyWith: (factor: string, options?: VerifyOptions) => RequestHandler;
}

/** Where `phoneBook` is configured. */
export interface PhonesEdge {
  readonly phones: Phones;
}

/** Where `recoveryCodes` is configured. */
export interface RecoveryEdge {
  readonly recoveryCodes: RecoveryCodesPart;
  /** `verify` for a recovery code in place of the texted one. */
  readonly recover: (options?: VerifyOptions) => RequestHandler;
}

/** Where `trustedDevices` is configured. */
export interface DevicesEdge {
  readonly trustedDevices: TrustedDevices;
}

/** Makes all middlewares and guards from the same parts. */
export function createEdge(parts: EdgeParts): Edge {
  return {
    send: createSend(parts),
    verify: createVerify(parts),
    status: createStatus(parts),
    ...createPendingMiddlewares(parts),
    ...createGuards(parts),
    ...(parts.phones && { phones: createPhones(parts, parts.phones) }),
    ...(parts.recovery && createRecovery(parts, parts.recovery)),
    ...(parts.devices && { trustedDevices: createDevices(parts.devices) }),
    ...([...parts.verifiers.keys()].some(isOfApp) && { verifyWith: createVerifyWith(parts) }),
  };
}

function createRecovery(parts: EdgeParts, recovery: RecoveryParts): RecoveryEdge {
  const recover: RecoveryEdge['recover'] = createVerify(parts, 'recover', 'recovery-code');
  return { recover, recoveryCodes: createRecoveryCodesPart(parts, recovery) };
}

function createDevices({ devices: { list, revoke, revokeAll } }: DeviceParts): TrustedDevices {
  return { list, revoke, revokeAll };
}

function createVerifyWith(parts: EdgeParts): FactorsEdge['verifyWith'] {
  return (factor, options) => {
    if (!isOfApp(factor) || !parts.verifiers.has(factor)) {
      throw new TypeError('verifyWith: factors has none of that name');
    }
    return createVerify(parts, 'verifyWith', factor)(options);
  };
}
