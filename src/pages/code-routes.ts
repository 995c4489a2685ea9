import type { Request, RequestHandler, Response, Router } from 'express';
import type { PendingStatus, SmsOtpSettings } from 'passport-sms-otp';
import { describeBase, hasUser, type PagesContext, textsOf, userOf, wayOut } from './context';
import {
  ABOUT_ANSWER,
  describeCode,
  describeResend,
  firstWay,
  isOfOtherFactor,
  listWays,
  type PendingPage,
} from './describe-code';
import { isWithoutFactor, listNumbers } from './describe-settings';
import { asyncHandler, createRouter } from './handlers';
import type { Page, PageBase, StepUpPage } from './page';
import { show, showMessage } from './show';

/** The routes of a pending login and of a step-up. */
export function codeRoutes(context: PagesContext): Router {
  const { smsOtp, addresses, options } = context;
  const { settings } = smsOtp;
  const router = createRouter();

  router.get('/code', addresses.isOfApp('code') ? leadTo(addresses.code) : showCode(context));
  router.post(
    '/code',
    byUser((purpose) => smsOtp.verify({ purpose })),
  );
  router.post('/resend', smsOtp.resend());
  router.post('/cancel', cancel(context));

  router.get(
    '/other-ways',
    pendingPage(context, (base, page) => ({
      ...base,
      name: 'other-ways',
      resend: describeResend(settings, page),
      ways: listWays(settings, page.pending),
      help: options.help ?? null,
    })),
  );

  addRecovery(router, context);
  addFactors(router, context);

  router.get(
    '/step-up',
    ...(addresses.isOfApp('step-up')
      ? [leadTo(addresses.stepUp)]
      : [leaveEnded(context), requireUser(context), showStepUp(context)]),
  );
  router.post('/step-up', smsOtp.stepUp());
  router.post('/log-out', smsOtp.logout());

  return router;
}

/** Returns the handler of a page that exists only while a login is pending. */
function pendingPage(
  context: PagesContext,
  describe: (base: PageBase, page: PendingPage) => Page,
): RequestHandler {
  return (req, res) => {
    const { pending, notice } = context.smsOtp.status(req);
    if (pending === null) return showEnd(context, req, res);

    const page = describe(describeBase(context, req, res), { pending, notice });
    show(context, req, res, page);
  };
}

/** Returns the handler of the code page. */
function showCode(context: PagesContext): RequestHandler {
  const { smsOtp } = context;

  return (req, res) => {
    const { pending, notice } = smsOtp.status(req);
    if (pending === null) return showEnd(context, req, res);
    // The app's own page for the transaction takes its code.
    if (pending.purpose === 'transaction') return res.redirect(303, context.addresses.home);

    const base = describeBase(context, req, res);
    const page = isOfOtherFactor(smsOtp.settings, { pending, notice })
      ? describeCode(smsOtp, withFailure(context, base), { pending, notice: null })
      : describeCode(smsOtp, base, { pending, notice });
    show(context, req, res, page);
  };
}

/** Returns the handler of the page on which a logged-in user confirms with a factor. */
function showStepUp(context: PagesContext): RequestHandler {
  const { smsOtp } = context;
  const { settings } = smsOtp;

  return asyncHandler(async (req, res) => {
    const user = userOf(req);
    const [numbers, isWithout, preferred] = await Promise.all([
      listNumbers(smsOtp, user),
      isWithoutFactor(smsOtp, user),
      settings.findPreferredFactor(user, req),
    ]);

    show(context, req, res, {
      ...describeBase(context, req, res),
      name: 'step-up',
      sends: findSends(settings, preferred),
      digits: numbers?.find(({ isConfirmed }) => isConfirmed)?.digits ?? '',
      first: preferred === null ? null : firstWay(settings, preferred),
      hasFactor: !isWithout,
      addNumberHref: settings.hasPhones ? 'add-number' : null,
    });
  });
}

/** Returns what a step-up by a factor sends. */
function findSends(settings: SmsOtpSettings, factor: string | null): StepUpPage['sends'] {
  if (factor === 'sms') return 'message';
  const isDelivered = settings.factors.some(
    ({ name, kind }) => name === factor && kind === 'delivered',
  );
  return isDelivered ? 'code' : null;
}

/** Redirects to a page that the app serves itself. */
export function leadTo(path: string): RequestHandler {
  return (_req, res) => res.redirect(303, path);
}

/**
 * Creates the verification of a login and that of a step-up, and uses the one for the request. A
 * transaction's code is left for the app's own route.
 */
function byUser(make: (purpose: 'login' | 'step-up') => RequestHandler): RequestHandler {
  const [login, stepUp] = [make('login'), make('step-up')];
  return (req, res, next) => (hasUser(req) ? stepUp : login)(req, res, next);
}

/**
 * Logs a user out whose request was refused because the login has ended. Otherwise every further
 * request would be refused too.
 */
function leaveEnded(context: PagesContext): RequestHandler {
  const { smsOtp } = context;
  const guard = smsOtp.requireSecondFactor({ redirect: context.addresses.login });

  return (req, res, next) => {
    const hasEnded = hasUser(req) && smsOtp.status(req).notice === 'login-ended';
    return hasEnded ? guard(req, res, next) : next();
  };
}

/**
 * Redirects a browser without a user to its pending login, or to the login page, which shows the
 * reason.
 */
function requireUser(context: PagesContext): RequestHandler {
  const guard = context.smsOtp.requireSecondFactor({ returnTo: () => null });
  return (req, res, next) => (hasUser(req) ? next() : guard(req, res, next));
}

/**
 * Redirects after a cancel: a login goes to the login page, a step-up to the home page, because its
 * user stays logged in.
 */
function cancel(context: PagesContext): RequestHandler {
  const { addresses, smsOtp } = context;
  const login = smsOtp.cancel();
  const stepUp = smsOtp.cancel({
    successRedirect: addresses.home,
    failureRedirect: addresses.login,
  });

  return (req, res, next) => (hasUser(req) ? stepUp : login)(req, res, next);
}

/** Shows that nothing is pending, with the reason and a link. A redirect would explain nothing. */
function showEnd(context: PagesContext, req: Request, res: Response): void {
  showMessage(context, req, res, { message: 'ended', link: wayOut(context, req) });
}

function addRecovery(router: Router, context: PagesContext): void {
  const { settings, verifyWith } = context.smsOtp;
  if (verifyWith === undefined || !settings.hasRecoveryCodes) return;

  const page = '/recovery-code';
  const failureRedirect = context.addresses.at('recovery-code');
  router.get(
    page,
    pendingPage(context, (base) => ({ ...base, name: 'recovery-code', trustDays: null })),
  );
  router.post(
    page,
    byUser((purpose) => verifyWith('recovery-code', { purpose, failureRedirect })),
  );
}

/**
 * Adds a notice that another factor has failed. A challenge has no code that a notice of the
 * library could name.
 */
function withFailure(context: PagesContext, base: PageBase): PageBase {
  const text = textsOf(context, base.locale)('factor.failed');
  return { ...base, notice: { kind: 'error', text } };
}

function addFactors(router: Router, context: PagesContext): void {
  const { smsOtp, addresses } = context;
  const { settings, verifyWith, optionsWith } = smsOtp;

  for (const factor of settings.factors) {
    const { kind } = factor;
    // The code page takes a code that was sent.
    if (kind === 'delivered') continue;
    const name = `factor-${factor.name}`;
    const optionsAction = kind === 'challenge' ? `${name}-options` : null;

    router.get(
      `/${name}`,
      pendingPage(context, (base, page) => ({
        ...(kind === 'challenge' && ABOUT_ANSWER.has(page.notice)
          ? withFailure(context, base)
          : base),
        name: 'factor',
        fields: { ...base.fields, code: factor.field },
        factor: factor.name,
        kind,
        purpose: page.pending.purpose,
        trustDays: findTrustDays(settings, page.pending),
        action: name,
        optionsAction,
      })),
    );

    if (verifyWith === undefined || optionsWith === undefined) continue;
    router.post(
      `/${name}`,
      byUser((purpose) =>
        verifyWith(factor.name, { purpose, failureRedirect: addresses.at(name) }),
      ),
    );
    if (optionsAction !== null) router.post(`/${optionsAction}`, optionsWith(factor.name));
  }
}

/** Returns for how long a device can be trusted. Null for everything but a login. */
function findTrustDays(settings: SmsOtpSettings, pending: PendingStatus): number | null {
  return pending.purpose === 'login' ? settings.trustedDeviceDays : null;
}
