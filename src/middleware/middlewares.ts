import type { Request, RequestHandler } from 'express';
import type { TrustedDevices } from '../account/trusted-devices';
import type { MiddlewareContext } from './context';
import { createGuards, type Guards } from './guard';
import { createPhones, type Phones } from './phones';
import { createRecoveryCodesPart, type RecoveryCodesPart, type RecoveryParts } from './recovery-codes';
import { createResendCancelStepUp, type PendingMiddlewares } from './resend-cancel-step-up';
import { createSend, type SendOptions } from './send';
import { createStatus, type SmsOtpStatus } from './status';
import type { DeviceParts } from './trusted-devices';
import { isOfApp } from './verifiers';
import { createVerify, type VerifyOptions } from './verify';

/** What an app puts into its routes, whatever is configured. */
export interface Middlewares extends Guards, PendingMiddlewares {
  /**
   * After the first factor: sends a code to `req.user`, who is not logged in before it was right. Whoever needs no second
   * factor is logged in at once.
   */
  readonly send: (options?: SendOptions) => RequestHandler;
  /** Judges the code in the body: logs in after `send`, renews the mark after `stepUp`. */
  readonly verify: (options?: VerifyOptions) => RequestHandler;
  /** What a page may show of the pending code, the mark and the last refusal. */
  readonly status: (req: Request) => SmsOtpStatus;
}

/** All of it: some parts are there only where their option is given. */
export type Edge = Middlewares & Partial<FactorsPart & PhonesPart & RecoveryPart & DevicesPart>;

/** Where `factors` has one. */
export interface FactorsPart {
  /** `verify` for the code of another factor. @throws {TypeError} when `factors` has none of that name. */
  readonly verifyWith: (factor: string, options?: VerifyOptions) => RequestHandler;
}

/** Where `phoneBook` is configured. */
export interface PhonesPart {
  /** Adding, confirming, changing and removing numbers. */
  readonly phones: Phones;
}

/** Where `recoveryCodes` is configured. */
export interface RecoveryPart {
  /** Makes, counts and shows once the codes for the day the phone is gone. */
  readonly recoveryCodes: RecoveryCodesPart;
  /** `verify` for a recovery code in place of the texted one. */
  readonly recover: (options?: VerifyOptions) => RequestHandler;
}

/** Where `trustedDevices` is configured. */
export interface DevicesPart {
  /** Lists and ends the devices that need no code for a while. */
  readonly trustedDevices: TrustedDevices;
}

/** Makes all middlewares and guards from the same parts. */
export function createMiddlewares(parts: MiddlewareContext): Edge {
  return {
    send: createSend(parts),
    verify: createVerify(parts),
    status: createStatus(parts),
    ...createResendCancelStepUp(parts),
    ...createGuards(parts),
    ...(parts.phones && { phones: createPhones(parts, parts.phones) }),
    ...(parts.recovery && createRecovery(parts, parts.recovery)),
    ...(parts.devices && { trustedDevices: createDevices(parts.devices) }),
    ...([...parts.verifiers.keys()].some(isOfApp) && { verifyWith: createVerifyWith(parts) }),
  };
}

function createRecovery(parts: MiddlewareContext, recovery: RecoveryParts): RecoveryPart {
  const recover: RecoveryPart['recover'] = createVerify(parts, 'recover', 'recovery-code');
  return { recover, recoveryCodes: createRecoveryCodesPart(parts, recovery) };
}

function createDevices({ devices: { list, revoke, revokeAll } }: DeviceParts): TrustedDevices {
  return { list, revoke, revokeAll };
}

function createVerifyWith(parts: MiddlewareContext): FactorsPart['verifyWith'] {
  return (factor, options) => {
    if (!isOfApp(factor) || !parts.verifiers.has(factor)) {
      throw new TypeError('verifyWith: factors has none of that name');
    }
    return createVerify(parts, 'verifyWith', factor)(options);
  };
}
