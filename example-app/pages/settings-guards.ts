import type { Request, RequestHandler } from 'express';
import type { BankOtp } from '../server';

/** Pages that protect the account require a code no older than this. */
const MAX_AGE_SECONDS = 300;

export interface SettingsGuards {
  /** For pages: requires a new code, then returns to the page. */
  readonly page: RequestHandler;
  /** For forms: redirects to the page, which requires a code. The form's values are not kept; the user submits them again. */
  readonly form: RequestHandler;
}

export function settingsGuards({ requireSecondFactor }: BankOtp): SettingsGuards {
  return {
    page: requireSecondFactor({ maxAgeSeconds: MAX_AGE_SECONDS, redirect: '/step-up' }),
    form: requireSecondFactor({ maxAgeSeconds: MAX_AGE_SECONDS, redirect: '/settings' }),
  };
}

/** @throws {Error} when no guard ran before. */
export function userOf({ user }: Request): Express.User {
  if (user === undefined) throw new Error('This page needs a guard');
  return user;
}
