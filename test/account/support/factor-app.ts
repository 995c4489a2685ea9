import type { Express, Request, Response } from 'express';
import type { SmsOtp, SmsOtpEvent } from 'passport-sms-otp';
import {
  ALICE,
  asTestUser,
  startTestApp,
  type TestApp,
  type TestAppOptions,
  type TestUser,
} from '../../support/test-app';
import { Browser } from './browser';

/** A test app with recovery codes and trusted devices. */
export interface FactorApp extends TestApp {
  recoveryCodes: NonNullable<SmsOtp['recoveryCodes']>;
  trustedDevices: NonNullable<SmsOtp['trustedDevices']>;
  /** A user's password in another version. */
  passwords: Map<string, string>;
  /** Whose other sessions the app was asked to end, with the session that stays. */
  ended: { userId: unknown; sessionId: string | undefined }[];
  /** The user's first recovery codes, from before there was a number. */
  firstCodes(user?: TestUser): Promise<readonly string[]>;
  browser(user?: TestUser): Browser;
  told<Type extends SmsOtpEvent['type']>(type: Type): Extract<SmsOtpEvent, { type: Type }>[];
}

export async function startFactorApp(given: TestAppOptions = {}): Promise<FactorApp> {
  const passwords = new Map<string, string>();
  const ended: FactorApp['ended'] = [];
  const test = await startTestApp({
    ...given,
    options: {
      recoveryCodes: {},
      trustedDevices: {
        getPasswordVersion: (user) => passwords.get(asTestUser(user).id) ?? 'first',
      },
      endOtherSessions: (userId, req) => void ended.push({ userId, sessionId: req?.sessionID }),
      ...given.options,
    },
    routes: (app, smsOtp, ...others) => {
      addFactorRoutes(app, smsOtp);
      given.routes?.(app, smsOtp, ...others);
    },
  });
  const recoveryCodes = configured(test.smsOtp.recoveryCodes);
  return {
    ...test,
    recoveryCodes,
    trustedDevices: configured(test.smsOtp.trustedDevices),
    passwords,
    ended,
    firstCodes: (user = ALICE) => {
      setPhone(test, user, null);
      return recoveryCodes.generate(user.id).finally(() => setPhone(test, user, user.phone));
    },
    browser: (user) => new Browser(test, user),
    told: (type) => test.events.filter((event) => event.type === type) as never,
  };
}

function setPhone({ users }: TestApp, { id }: TestUser, phone: string | null): void {
  const user = users.get(id);
  if (user !== undefined) user.phone = phone;
}

function configured<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the part is not configured');
  return part;
}

function addFactorRoutes(app: Express, smsOtp: SmsOtp): void {
  const { recover, recoveryCodes } = smsOtp;
  if (recover === undefined || recoveryCodes === undefined) return;
  app.post('/recover', recover(), (req, res) => {
    res.json({ ...req.smsOtp, authInfo: req.authInfo, isAuthenticated: req.isAuthenticated() });
  });
  app.post('/codes', async (req: Request, res: Response, next) => {
    try {
      const of: unknown = (req.body as Record<string, unknown>).of;
      const userId = typeof of === 'string' ? of : asTestUser(req.user).id;
      res.json({ codes: await recoveryCodes.generate(userId, req) });
    } catch (error) {
      next(error);
    }
  });
}
