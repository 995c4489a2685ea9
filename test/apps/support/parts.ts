import type { RequestListener } from 'node:http';
import type { Request } from 'express';
import type session from 'express-session';
import type { SmsOtpOptions } from 'passport-sms-otp';

/** A user as an app stores it. */
export interface Person {
  readonly name: string;
  readonly password: string;
  /** As the app declares it. A record may have no such field, or anything else in it. */
  readonly phone: string | null;
  /** The app requires no second factor of this user. */
  readonly isOptional?: boolean;
}

/** The parts that an app is given. Everything else is in its own file. */
export interface Parts {
  readonly people: readonly Person[];
  readonly gateway: SmsOtpOptions['gateway'];
  readonly sessions: session.Store;
  readonly now: () => number;
}

/** An app that runs. */
export interface RunningApp {
  readonly handler: RequestListener;
  /** Ends all logins of a user, as "log out everywhere" on another device does. */
  revokeAll(name: string): Promise<unknown>;
  close(): Promise<unknown>;
}

export const SECRET = 'a secret of the tests, long enough to be one';

/** Stands for bcrypt: easy to find in an answer or a session. */
export function hashOf(password: string): string {
  return `hash of ${password}`;
}

/** This compilation declares the users of other apps. */
export function asUser(record: object): Express.User;
export function asUser(record: object | undefined): Express.User | false;
export function asUser(record: object | undefined): Express.User | false {
  return record === undefined ? false : (record as Express.User);
}

/** Returns a field of a form or of JSON; an empty string without one. */
export function bodyOf({ body }: Request, name: string): string {
  const { [name]: value = '' } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return typeof value === 'string' ? value : '';
}

/** Returns a parameter of the address; an empty string without one. */
export function queryOf({ query }: Request, name: string): string {
  const { [name]: value = '' } = query;
  return typeof value === 'string' ? value : '';
}

/** Returns the app's own data in a session. `?add=` puts something in first. */
export function cartOf(req: Request): readonly string[] {
  const kept = req.session as unknown as { cart?: string[] };
  const added = queryOf(req, 'add');
  if (added !== '') kept.cart = [...(kept.cart ?? []), added];
  return kept.cart ?? [];
}
