import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { type SmsOtp, SmsOtpError } from 'passport-sms-otp';
import { FOLDER, readAddresses } from './addresses';
import { serveAssets } from './assets';
import { codeRoutes, leadTo } from './code-routes';
import { hasSettings, type PagesContext, wayOut } from './context';
import { createRouter } from './handlers';
import { setHeaders } from './headers';
import { createLocaleChoice } from './locale';
import { type PagesOptions, readOptions } from './options';
import { ownForms } from './own-forms';
import { settingsRoutes } from './settings-routes';
import { showMessage } from './show';

/**
 * Returns the ready-made pages as a router below `/second-factor`: the code and what to do without
 * one, the step-up, and "Sign-in security". Mount it after the session, `passport.session()` and
 * the parser of forms, and before your own error handler. It serves no path outside of that folder,
 * and passes unknown paths in it on. No GET sends a message, counts or changes anything.
 *
 * @param smsOtp The object that `createSmsOtp` returned. Its option `paths` names the other pages.
 * @throws {TypeError} for an unknown or wrong option, and without `paths`.
 */
export function smsOtpPages(smsOtp: SmsOtp, given: PagesOptions = {}): Router {
  const options = readOptions(given);
  const context: PagesContext = {
    smsOtp,
    options,
    addresses: readAddresses(smsOtp),
    chooseLocale: createLocaleChoice(smsOtp, options.locale),
  };

  const pages = createRouter();
  pages.use(setHeaders, serveAssets(options.accent));
  pages.use(ownForms(options.origins, refuseForm(context)));
  pages.use(express.urlencoded({ extended: false, limit: '100kb' }));
  pages.get('/', leadToSettings(context));
  pages.use(codeRoutes(context), settingsRoutes(context));
  pages.post(/./, answerScript);
  pages.use(showFailure(context));

  return createRouter().use(FOLDER, pages);
}

/** Redirects from the folder itself, which is not a page. */
function leadToSettings(context: PagesContext): RequestHandler {
  const { addresses, smsOtp } = context;
  return leadTo(hasSettings(smsOtp) ? addresses.settings : addresses.home);
}

/** Answers a script with JSON. Other requests are redirected after a success. */
const answerScript: RequestHandler = (req, res, next) => {
  if (req.smsOtp === undefined) next();
  else res.json(req.smsOtp);
};

function refuseForm(context: PagesContext): RequestHandler {
  return (req, res) => {
    const link = wayOut(context, req);
    showMessage(context, req, res, { message: 'refused-form', link, status: 403 });
  };
}

/**
 * Shows a page for failures of this library, which has emitted a warning. Other errors are left to
 * the app.
 */
function showFailure(context: PagesContext): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    const isScript = req.headers['sec-fetch-dest'] === 'empty';
    const isPage = !isScript && req.accepts(['json', 'html']) === 'html';
    if (!(error instanceof SmsOtpError) || !isPage || res.headersSent) return next(error);

    res.set(error.headers ?? {});
    const link = { href: context.addresses.home, to: 'home' } as const;
    showMessage(context, req, res, { message: 'failed', link, status: error.status });
  };
}
