import type { Request, RequestHandler } from 'express';
import type { TrustedDevices } from '../account/trusted-devices';
import { isAppFactor } from '../login/code-verifiers';
import type { MiddlewareContext } from './context';
import { createGuards, type Guards } from './guard';
import { createPhones, type Phones, type PhonesContext } from './phones';
import { createRecoveryCodesPart, type RecoveryCodesContext, type RecoveryCodesPart } from './recovery-codes';
import { createResendCancelStepUp, type ResendCancelStepUp } from './resend-cancel-step-up';
import { createSend, type SendOptions } from './send';
import { createStatus, type SmsOtpStatus } from './status';
import { createVerify, type VerifyOptions } from './verify';

/** What an app puts into its routes, whatever is configured. */
export interface Middlewares extends Guards, ResendCancelStepUp {
  /**
   * Sends a code to `req.user`, after the first factor. The user is not logged in before the code was right. A user who
   * needs no second factor is logged in at once.
   */
  readonly send: (options?: SendOptions) => RequestHandler;
  /** Verifies the code in the body: logs in after `send`, renews the mark after `stepUp`. */
  readonly verify: (options?: VerifyOptions) => RequestHandler;
  /** Returns what a page may show of the pending code, the mark and the last refusal. */
  readonly status: (req: Request) => SmsOtpStatus;
}

/** Where `factors` is configured. */
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
  /** Lists and revokes the devices that need no code for a while. */
  readonly trustedDevices: TrustedDevices;
}

/** The contexts of the features that are configured. */
export interface FeatureContexts {
  readonly phones: PhonesContext | undefined;
  readonly recoveryCodes: RecoveryCodesContext | undefined;
}

/** Makes all middlewares and guards from the same context. Some are there only where their option is given. */
export function createMiddlewares(
  context: MiddlewareContext,
  { phones, recoveryCodes }: FeatureContexts,
): Middlewares & Partial<FactorsPart & PhonesPart & RecoveryPart & DevicesPart> {
  return {
    send: createSend(context),
    verify: createVerify(context),
    status: createStatus(context),
    ...createResendCancelStepUp(context),
    ...createGuards(context),
    ...(phones && { phones: createPhones(context, phones) }),
    ...(recoveryCodes && {
      recover: createVerify(context, 'recover', 'recovery-code'),
      recoveryCodes: createRecoveryCodesPart(context, recoveryCodes),
    }),
    ...(context.devices && { trustedDevices: toTrustedDevices(context.devices) }),
    ...([...context.factors.keys()].some(isAppFactor) && { verifyWith: createVerifyWith(context) }),
  };
}

function toTrustedDevices({ list, revoke, revokeAll }: TrustedDevices): TrustedDevices {
  return { list, revoke, revokeAll };
}

function createVerifyWith(context: MiddlewareContext): FactorsPart['verifyWith'] {
  return (factor, options) => {
    if (!isAppFactor(factor) || !context.factors.has(factor)) {
      throw new TypeError('verifyWith: factors has none of that name');
    }
    return createVerify(context, 'verifyWith', factor)(options);
  };
}
