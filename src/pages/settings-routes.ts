import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response, Router } from 'express';
import {
  RecoveryCodesError,
  SecondFactorError,
  type SmsOtp,
  type SmsOtpOutcome,
  type SmsOtpSettings,
} from 'passport-sms-otp';
import { leadTo } from './code-routes';
import { describeBase, hasSettings, type PagesContext, type Told, userOf } from './context';
import {
  describeSettings,
  isWithoutFactor,
  listNumbers,
  RECENT_SECONDS,
} from './describe-settings';
import { asyncHandler, createRouter, readField } from './handlers';
import { show, showMessage } from './show';

/** Returns the routes of the page "Sign-in security" and of its changes. */
export function settingsRoutes(context: PagesContext): Router {
  const router = createRouter();
  if (!hasSettings(context.smsOtp)) return router;
  const guards = createGuards(context);
  const { addresses, smsOtp } = context;

  router.get(
    '/settings',
    ...(addresses.isOfApp('settings')
      ? [leadTo(addresses.settings)]
      : [guards.user, asyncHandler((req, res) => showSettings(context, req, res))]),
  );
  // The guard keeps this page, so that the user returns to it after confirming with a factor.
  router.get('/confirm', guards.recent, leadTo(addresses.settings));
  if (smsOtp.phones !== undefined) addNumbers(router, context, guards, smsOtp.phones);
  if (smsOtp.recoveryCodes !== undefined) addCodes(router, context, guards, smsOtp.recoveryCodes);
  addBrowsers(router, context, guards);
  return router;
}

/** The guards of the page and of its forms. */
interface PageGuards {
  /** Accepts users who passed the second factor, and users who have none. */
  readonly user: RequestHandler;
  /** Accepts users with a factor of the last five minutes. */
  readonly recent: RequestHandler;
  /**
   * Guards the page and the form for a number. Also accepts users without any factor: a login may
   * need one nevertheless, as after a sign-up, and this page is the way to it. `phones.enroll`
   * checks whether the login has ended.
   */
  readonly numberPage: RequestHandler;
  readonly numberForm: RequestHandler;
  /** The same for forms, without that exception. */
  readonly recentForm: RequestHandler;
}

function createGuards(context: PagesContext): PageGuards {
  const { smsOtp } = context;
  const maxAgeSeconds = RECENT_SECONDS;
  const user = smsOtp.requireSecondFactor();
  const userWithoutFactor = smsOtp.requireSecondFactor({ allowNotRequired: true });
  const redirect = context.addresses.at('confirm');
  const recentForm = smsOtp.requireSecondFactor({ maxAgeSeconds, redirect });

  const hasNone = async (req: Request): Promise<boolean> => {
    if (!req.user || smsOtp.hasSecondFactor(req)) return false;
    return isWithoutFactor(smsOtp, req.user);
  };

  return {
    user: choose(hasNone, userWithoutFactor, user),
    recent: smsOtp.requireSecondFactor({ maxAgeSeconds }),
    numberPage: choose(hasNone, pass, user),
    numberForm: choose(hasNone, pass, recentForm),
    recentForm,
  };
}

const pass: RequestHandler = (_req, _res, next) => next();

/**
 * Combines two guards: the first one for requests for which the condition holds, otherwise the
 * second.
 */
function choose(
  question: (req: Request) => Promise<boolean>,
  guard: RequestHandler,
  other: RequestHandler,
): RequestHandler {
  return asyncHandler(async (req, res, next) => {
    const chosen = (await question(req)) ? guard : other;
    await chosen(req, res, next);
  });
}

async function showSettings(context: PagesContext, req: Request, res: Response): Promise<void> {
  const base = describeBase(context, req, res);
  const page = await describeSettings(context.smsOtp, base, req, userOf(req));
  show(context, req, res, page);
}

/**
 * Adds the routes to add, replace, remove and order numbers. The library requires a recent factor
 * too.
 */
function addNumbers(
  router: Router,
  context: PagesContext,
  guards: PageGuards,
  phones: NonNullable<SmsOtp['phones']>,
): void {
  const { fields } = context.smsOtp.settings;
  const country = findCountry(context.smsOtp);
  const options = {
    ...(country !== undefined && { defaultCountry: country }),
    showRefusal: (req: Request, res: Response) =>
      showNumberForm(context, req, res, readField(req, fields.phoneId), req.smsOtp),
  };
  const add = phones.enroll(options);
  const replace = phones.enroll({ ...options, replaces: true });

  router.get(
    '/add-number',
    guards.numberPage,
    asyncHandler((req, res) => showNumberForm(context, req, res, req.query.replaces)),
  );
  router.post('/add-number', guards.numberForm, (req, res, next) => {
    const enroll = readField(req, fields.phoneId) === '' ? add : replace;
    enroll(req, res, next);
  });
  router.post('/confirm-number', phones.confirm());
  router.post('/remove-number', guards.recentForm, phones.remove());
  router.post('/default-number', guards.recentForm, phones.setDefault());
}

/** Shows the form for a number, after a refusal with the user's input. */
async function showNumberForm(
  context: PagesContext,
  req: Request,
  res: Response,
  replaces: unknown,
  refused?: SmsOtpOutcome,
): Promise<void> {
  const { smsOtp } = context;
  const { settings } = smsOtp;
  const numbers = (await listNumbers(smsOtp, userOf(req))) ?? [];
  const told = refused && toTold(refused, settings.now());

  show(context, req, res, {
    ...describeBase(context, req, res, told),
    name: 'add-number',
    typed: refused ? readField(req, settings.fields.phone).slice(0, MAX_TYPED) : '',
    replaces: numbers.find(({ phoneId }) => phoneId === replaces) ?? null,
    national: findCountry(smsOtp) !== undefined,
  });
}

/** The most characters of the user's input that are shown, more than any number has. */
const MAX_TYPED = 100;

function toTold(outcome: SmsOtpOutcome, now: number): Told {
  const { retryAfterSeconds } = outcome;
  return {
    notice: outcome.reason ?? null,
    retryAt: retryAfterSeconds === undefined ? null : now + retryAfterSeconds * 1000,
  };
}

/** Returns the country whose national numbers are accepted, if only one country gets messages. */
function findCountry(smsOtp: SmsOtp): string | undefined {
  const { allowedCountries } = smsOtp.settings;
  return allowedCountries.length === 1 ? allowedCountries[0] : undefined;
}

/**
 * Adds the routes of recovery codes. Codes are only in the answer to the form that created them.
 */
function addCodes(
  router: Router,
  context: PagesContext,
  guards: PageGuards,
  recoveryCodes: NonNullable<SmsOtp['recoveryCodes']>,
): void {
  const { settings } = context.smsOtp;

  router.get(
    '/recovery-codes',
    guards.user,
    asyncHandler(async (req, res) => {
      const codesLeft = await recoveryCodes.count(settings.getUserId(userOf(req)));

      show(context, req, res, {
        ...describeBase(context, req, res),
        name: 'recovery-codes',
        codes: null,
        codesLeft,
        form: randomUUID(),
      });
    }),
  );
  router.post(
    '/recovery-codes',
    asyncHandler(async (req, res) => {
      const form = readField(req, 'form');
      const showLost = (): void => showLostCodes(context, req, res);
      const isOurs = form !== '' && form.length <= MAX_FORM_LENGTH;
      if (!req.user || !isOurs) return void guards.recentForm(req, res, showLost);

      const userId = settings.getUserId(req.user);
      // `generate` itself checks that the factor is recent, or that the user has none.
      const codes = await makeCodes(recoveryCodes, userId, req, form);
      if (codes === 'factor-needed') return res.redirect(303, context.addresses.at('confirm'));
      if (codes === 'too-late') return showLost();

      show(context, req, res, {
        ...describeBase(context, req, res),
        name: 'recovery-codes',
        codes,
        codesLeft: codes.length,
        form,
      });
    }),
  );
}

/**
 * Creates codes. `too-late`: another submission of this form created codes more than a minute ago.
 */
async function makeCodes(
  recoveryCodes: NonNullable<SmsOtp['recoveryCodes']>,
  userId: AccountId,
  req: Request,
  form: string,
): Promise<readonly string[] | 'factor-needed' | 'too-late'> {
  try {
    return await recoveryCodes.generate(userId, req, { form });
  } catch (error) {
    if (error instanceof RecoveryCodesError) return 'too-late';
    if (error instanceof SecondFactorError) return 'factor-needed';
    throw error;
  }
}

/** The limit of `recoveryCodes.generate`. */
const MAX_FORM_LENGTH = 100;

function showLostCodes(context: PagesContext, req: Request, res: Response): void {
  const link = { href: context.addresses.settings, to: 'settings' } as const;
  showMessage(context, req, res, { message: 'codes-lost', link, status: 409 });
}

/** Adds the routes of trusted devices and of the user's logins. */
function addBrowsers(router: Router, context: PagesContext, guards: PageGuards): void {
  const { settings, trustedDevices, logins } = context.smsOtp;
  const addForm = (
    path: string,
    change: (req: Request, userId: AccountId) => Promise<unknown>,
  ): void => {
    router.post(
      path,
      guards.recentForm,
      asyncHandler(async (req, res) => {
        await change(req, settings.getUserId(userOf(req)));
        res.redirect(303, context.addresses.settings);
      }),
    );
  };

  if (trustedDevices !== undefined) {
    addForm('/forget-device', (req, userId) => {
      const deviceId = readField(req, 'deviceId');
      return deviceId === 'all'
        ? trustedDevices.revokeAll(userId)
        : trustedDevices.revoke(userId, deviceId);
    });
  }

  if (logins !== undefined) {
    addForm('/end-login', (req, userId) => logins.revoke(userId, readField(req, 'loginId'), req));
    addForm('/end-logins', (req, userId) => logins.revokeAll(userId, req));
  }
}

/** An id as the app's `getUserId` returns it. */
type AccountId = ReturnType<SmsOtpSettings['getUserId']>;
