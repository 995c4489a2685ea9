import type { CookieOptions, Request, Response } from 'express';
import type { DeviceCookie } from '../login/judge-device';

/** `__Host-` demands Secure, this path and no domain: no other host, and no page without TLS, can set such a cookie. */
const ATTRIBUTES: CookieOptions = { secure: true, httpOnly: true, sameSite: 'lax', path: '/' };

/** What the cookie holds, untouched; undefined when there is none. Of several none is the right one: an empty text. */
export function readDeviceCookie({ headers }: Request, name: string): string | undefined {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1));
  return values.length > 1 ? '' : values[0];
}

export function setDeviceCookie(res: Response, name: string, { value, expiresAt }: DeviceCookie): void {
  res.cookie(name, value, { ...ATTRIBUTES, expires: new Date(expiresAt) });
}

export function clearDeviceCookie(res: Response, name: string): void {
  res.clearCookie(name, ATTRIBUTES);
}
