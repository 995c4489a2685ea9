import type { Request, Response } from 'express';
import type { PreparedPut } from '../core/feature';
import type { TrustedUser } from '../core/send-result';
import type { DevicesContext, MiddlewareContext } from './context';
import { COOKIE_ATTRIBUTES, readCookie, readField, withCookie } from './handler';

/** Trusted devices as cookies of a request. */
export interface DeviceLogin {
  /**
   * Returns the user of a trusted device, and the next token, which is written with the login and
   * whose cookie is set after that. Null: a code is needed.
   * @param pendingId The pending login of this request, which stays where a device was stolen.
   */
  readonly authenticate: (
    req: Request,
    res: Response,
    user: Express.User,
    pendingId: string | undefined,
  ) => Promise<TrustedUser | null>;
  /** Whether the request brought a device's cookie. */
  readonly hasCookie: (req: Request) => boolean;
  /** Prepares to trust this device when the form asks for it; null: it does not. */
  readonly prepare: (req: Request, user: Express.User) => Promise<PreparedPut | null>;
}

export function createDeviceLogin(
  devices: DevicesContext,
  {
    browsers,
    changeAndEnd,
    endOtherSessions,
    getUserId,
    userFields,
  }: Pick<
    MiddlewareContext,
    'browsers' | 'changeAndEnd' | 'endOtherSessions' | 'getUserId' | 'userFields'
  >,
): DeviceLogin {
  const { cookieName, trustDeviceField } = devices;
  return {
    async authenticate(req, res, user, pendingId) {
      const value = readCookie(req, cookieName);
      const browserCookie = browsers.readCookie(req);
      const result = await devices.authenticate({ user, value, address: req.ip, browserCookie });
      if (result.kind === 'trusted') {
        const { user: found, mark, next } = result;
        userFields?.compare(user, found);
        return { user: found, mark, puts: [withCookie(req, cookieName, next)] };
      }
      if (result.kind === 'stolen') await endAllElse(req, user, result.deviceId, pendingId);
      if (result.kind !== 'not-now') res.clearCookie(cookieName, COOKIE_ATTRIBUTES);
      return null;
    },
    hasCookie: (req) => readCookie(req, cookieName) !== undefined,
    async prepare(req, user) {
      if (!isAskedFor(readField(req, trustDeviceField))) return null;
      const value = readCookie(req, cookieName);
      const label = toDeviceLabel(req.headers['user-agent']);
      const prepared = await devices.prepare({ user, value, address: req.ip, label });
      return prepared && withCookie(req, cookieName, prepared);
    },
  };

  /** Where it fails, the device and its cookie stay: the same request again completes it. */
  async function endAllElse(
    req: Request,
    user: Express.User,
    deviceId: string,
    pendingId: string | undefined,
  ): Promise<void> {
    const id = getUserId(user);
    await changeAndEnd(req, id, 'changed', () => Promise.resolve(), { deviceId, pendingId });
    await endOtherSessions(id, req);
    await devices.removeStolen(user, deviceId);
  }
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
  [/\bOP(?:R|T|iOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:(?:Headless)?Chrome|CriOS)\//, 'Chrome'],
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
 * Returns what a user may recognize a device by, such as `Firefox, Windows`: only names of ours,
 * never words of the header; empty when it names nothing known.
 */
export function toDeviceLabel(userAgent: string | undefined): string {
  const agent = (userAgent ?? '').slice(0, MAX_AGENT_LENGTH);
  return [BROWSERS, SYSTEMS]
    .flatMap((known) => known.find(([pattern]) => pattern.test(agent))?.[1] ?? [])
    .join(', ');
}
