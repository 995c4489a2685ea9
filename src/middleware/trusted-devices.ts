import type { CookieOptions, Request, Response } from 'express';
import type { DeviceAuthentication, DeviceCookie } from '../account/trusted-devices';
import { StoreError } from '../errors';
import type { DevicesContext, MiddlewareContext } from './context';
import { readField } from './handler';

/** A user who needs no code on this device. */
export type DeviceLoginResult = Extract<DeviceAuthentication, { readonly kind: 'trusted' }>;

/** Trusted devices as cookies of a request. */
export interface DeviceLogin {
  /** Returns the user of a trusted device and the mark, with the next cookie set; null: a code is needed. */
  readonly authenticate: (
    req: Request,
    res: Response,
    user: Express.User,
  ) => Promise<DeviceLoginResult | null>;
  /** Trusts this device when the form asks for it. The user is already logged in. */
  readonly trust: (req: Request, res: Response, user: Express.User) => Promise<void>;
}

export function createDeviceLogin(
  devices: DevicesContext,
  endOtherSessions: MiddlewareContext['endOtherSessions'],
): DeviceLogin {
  const { cookieName, trustDeviceField } = devices;
  return {
    async authenticate(req, res, user) {
      const value = readDeviceCookie(req, cookieName);
      const result = await devices.authenticate({ user, value, address: req.ip });
      if (result.kind === 'trusted') {
        setDeviceCookie(res, cookieName, result.cookie);
        return result;
      }
      if (result.kind !== 'not-now') res.clearCookie(cookieName, ATTRIBUTES);
      if (result.kind === 'stolen') await endOtherSessions(user, req);
      return null;
    },
    async trust(req, res, user) {
      if (!isAskedFor(readField(req, trustDeviceField))) return;
      const value = readDeviceCookie(req, cookieName);
      const label = toDeviceLabel(req.headers['user-agent']);
      try {
        setDeviceCookie(res, cookieName, await devices.trust({ user, value, address: req.ip, label }));
      } catch (error) {
        // The code was right and the user is logged in: the next login needs a code again. `store-failing` reports it.
        if (!(error instanceof StoreError)) throw error;
      }
    },
  };
}

/** `__Host-` requires Secure, this path and no domain: no other host, and no page without TLS, can set such a cookie. */
const ATTRIBUTES: CookieOptions = { secure: true, httpOnly: true, sameSite: 'lax', path: '/' };

function setDeviceCookie(res: Response, name: string, { value, expiresAt }: DeviceCookie): void {
  res.cookie(name, value, { ...ATTRIBUTES, expires: new Date(expiresAt) });
}

/** Returns the cookie's value as it came; undefined without one. Of several none can be trusted: an empty string. */
function readDeviceCookie({ headers }: Request, name: string): string | undefined {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1));
  return values.length > 1 ? '' : values[0];
}

/** What a ticked box sends, with and without a value of its own; JSON may send a boolean. */
const YES: readonly unknown[] = ['on', 'true', '1', 'yes', true];

function isAskedFor(field: unknown): boolean {
  return YES.includes(typeof field === 'string' ? field.toLowerCase() : field);
}

type NamedPattern = readonly [RegExp, string];

/** The first that matches: many browsers name the others as well. */
const BROWSERS: readonly NamedPattern[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly NamedPattern[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const MAX_AGENT_LENGTH = 512;

/**
 * Returns what a user may recognize a device by, such as `Firefox, Windows`: only names of ours, never words of the
 * header; empty when it names nothing known.
 */
export function toDeviceLabel(userAgent: string | undefined): string {
  const agent = (userAgent ?? '').slice(0, MAX_AGENT_LENGTH);
  return [BROWSERS, SYSTEMS]
    .flatMap((known) => known.find(([pattern]) => pattern.test(agent))?.[1] ?? [])
    .join(', ');
}
