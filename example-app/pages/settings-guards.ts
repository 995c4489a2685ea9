import type { Request, RequestHandler } from 'express';
import type { BankOtp } from '../server';

/** What protects the account is behind a code that is no older than this. */
const MAX_AGE_SECONDS = 300;

export interface SettingsGuards {
  /** Asks for a new code, and comes back. */
  readonly page: RequestHandler;
  /** Back to the page, which asks and is come back to. What a form held is not kept: it is for people to send again. */
  readonly form: RequestHandler;
}

export function settingsGuards({ requireSecondFactor }: BankOtp): SettingsGuards {
  return {
    page: requireSecondFactor({ maxAgeSeconds: MAX_AGE_SECONDS, redirect: '/step-up' }),
    form: requireSecondFactor({ maxAgeSeconds: MAX_AGE_SECONDS, redirect: '/settings' }),
  };
}

/** @throws {Error} without a guard in front. */
export function userOf({ user }: Request): Express.User {
  if (user === undefined) throw new Error('Put a guard in front of this page');
  return user;
}
