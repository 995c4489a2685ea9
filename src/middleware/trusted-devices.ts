import type { CookieOptions, Request, Response } from 'express';
import type { DeviceCookie } from '../account/trusted-devices';
import { StoreError } from '../errors';
import type { DevicesContext, MiddlewareContext } from './context';
import { readField } from './handler';
import type { VerifiedMark } from './session-data';

/** `__Host-` demands Secure, this path and no domain: no other host, and no page without TLS, can set such a cookie. */
const ATTRIBUTES: CookieOptions = { secure: true, httpOnly: true, sameSite: 'lax', path: '/' };

/** What the cookie holds, untouched; undefined when there is none. Of several none is the right one: an empty text. */
function readDeviceCookie({ headers }: Request, name: string): string | undefined {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1));
  return values.length > 1 ? '' : values[0];
}

function setDeviceCookie(res: Response, name: string, { value, expiresAt }: DeviceCookie): void {
  res.cookie(name, value, { ...ATTRIBUTES, expires: new Date(expiresAt) });
}

function clearDeviceCookie(res: Response, name: string): void {
  res.clearCookie(name, ATTRIBUTES);
}

/** The first that fits: many browsers name the others as well. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const MAX_AGENT_LENGTH = 512;

/** What a user may recognise a device by, such as `Firefox, Windows`: our own words alone, never the header's; empty when it says nothing we know. */
export function toDeviceLabel(userAgent: string | undefined): string {
  const agent = (userAgent ?? '').slice(0, MAX_AGENT_LENGTH);
  return [BROWSERS, SYSTEMS].flatMap((known) => findName(known, agent)).join(', ');
}

function findName(known: readonly (readonly [RegExp, string])[], agent: string): readonly string[] {
  return known
    .filter(([pattern]) => pattern.test(agent))
    .map(([, name]) => name)
    .slice(0, 1);
}

/** A user who needs no code on this device. */
export interface DeviceLoginResult {
  readonly user: Express.User;
  readonly mark: VerifiedMark;
}

/** What HTTP makes of trusted devices. */
export interface DeviceLogin {
  /** The user of a trusted device and the mark, with the next cookie set; null: a code is needed. */
  readonly authenticate: (
    req: Request,
    res: Response,
    user: Express.User,
  ) => Promise<DeviceLoginResult | null>;
  /** Trusts this device when the form asks for it. The user is in already. */
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
        const { cookie, userId, at } = result;
        setDeviceCookie(res, cookieName, cookie);
        return { user: result.user, mark: { userId, method: 'trusted-device', at } };
      }
      if (result.kind !== 'not-now') clearDeviceCookie(res, cookieName);
      if (result.kind === 'stolen') await endOtherSessions(user, req);
      return null;
    },
    async trust(req, res, user) {
      if (!isAskedFor(readField(req, trustDeviceField))) return;
      const value = readDeviceCookie(req, cookieName);
      const label = toDeviceLabel(req.headers['user-agent']);
      try {
        const cookie = await devices.trust({ user, value, address: req.ip, label });
        setDeviceCookie(res, cookieName, cookie);
      } catch (error) {
        // The code was right and the user is in: a device that could not be kept is asked for a code again. The event tells.
        if (!(error instanceof StoreError)) throw error;
      }
    },
  };
}

/** What a ticked box sends, with and without a value of its own; JSON may say it as a boolean. */
const YES: readonly unknown[] = ['on', 'true', '1', 'yes', true];

function isAskedFor(field: unknown): boolean {
  return YES.includes(typeof field === 'string' ? field.toLowerCase() : field);
}
