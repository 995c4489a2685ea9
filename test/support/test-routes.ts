import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import { SmsOtpError, type SmsOtp } from 'passport-sms-otp';
import { asTestUser, asUser } from './test-users';

/** The routes every test app has. Every answer is JSON. */
export function addRoutes(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
  const firstFactor = passport.authenticate('local', { session: false });
  app.post('/login', firstFactor, smsOtp.send(), (req, res) => void res.json(req.smsOtp));
  app.post('/login/pin', smsOtp.verify(), (req, res) => {
    // The user of an outcome shows in no copy of it.
    const { smsOtp: outcome, authInfo } = req;
    res.json({ ...outcome, user: outcome?.user, authInfo, isAuthenticated: req.isAuthenticated() });
  });
  app.post('/login/resend', smsOtp.resend(), (req, res) => void res.json(req.smsOtp));
  app.post('/login/cancel', smsOtp.cancel(), (req, res) => void res.json(req.smsOtp));
  app.post('/step-up', smsOtp.stepUp(), (req, res) => void res.json(req.smsOtp));
  app.post('/logout', (req, res, next) =>
    req.logout((error) => (error ? next(error) : res.json({ out: true }))),
  );
  app.get(
    '/account',
    smsOtp.requireSecondFactor(),
    (req, res) => void res.json({ id: asTestUser(req.user).id }),
  );
  app.get(
    '/fresh',
    smsOtp.requireSecondFactor({ maxAgeSeconds: 300 }),
    (_req, res) => void res.json({ ok: true }),
  );
  app.get('/status', async (req, res) => {
    await smsOtp.checkSecondFactor(req);
    res.json(describe(req, smsOtp));
  });
}

function describe(req: Request, smsOtp: SmsOtp): object {
  return {
    ...smsOtp.status(req),
    isAuthenticated: req.isAuthenticated(),
    hasSecondFactor: smsOtp.hasSecondFactor(req),
    session: req.session.smsOtp,
    sessionKeys: Object.keys(req.session),
  };
}

/** Every route answers JSON, those under /site send the browser on. */
export function addPhones(app: Express, { phones, requireSecondFactor }: SmsOtp): void {
  if (phones === undefined) throw new Error('the app has no phone book');
  const tell = (path: string, handler: RequestHandler): void => {
    app.post(path, handler, (req, res) => void res.json(req.smsOtp));
  };
  tell('/phones/enroll', phones.enroll());
  tell('/phones/national', phones.enroll({ defaultCountry: 'US' }));
  tell('/phones/replace', phones.enroll({ replaces: true }));
  tell('/phones/confirm', phones.confirm());
  tell('/phones/remove', phones.remove());
  tell('/phones/remove-any', phones.remove({ keepsLast: false }));
  tell('/phones/default', phones.setDefault());
  app.get('/phones', (req, res, next) => {
    phones.list(asUser(asTestUser(req.user))).then((list) => res.json(list), next);
  });
  const failureRedirect = '/site/settings';
  app.post('/site/enroll', phones.enroll({ successRedirect: '/site/code', failureRedirect }));
  app.post('/site/confirm', phones.confirm({ successRedirect: '/site/done', failureRedirect }));
  app.post('/site/remove', phones.remove({ successRedirect: '/site/done', failureRedirect }));
  app.get('/site/settings', requireSecondFactor({ redirect: '/site/enroll' }));
}

/** Makes and takes recovery codes. */
export function addFactors(app: Express, { verifyWith, recoveryCodes }: SmsOtp): void {
  if (verifyWith === undefined || recoveryCodes === undefined) return;
  app.post('/recover', verifyWith('recovery-code'), (req, res) => {
    res.json({ ...req.smsOtp, authInfo: req.authInfo, isAuthenticated: req.isAuthenticated() });
  });
  app.post('/codes', async (req, res, next) => {
    try {
      const { of, form } = req.body as { readonly of?: unknown; readonly form?: string };
      const userId = typeof of === 'string' ? of : asTestUser(req.user).id;
      res.json({ codes: await recoveryCodes.generate(userId, req, { form }) });
    } catch (error) {
      next(error);
    }
  });
}

/** Remembers what arrives and answers with the status of our errors, 500 for others. */
export function addErrorHandler(app: Express, errors: unknown[], mostErrors = Infinity): void {
  const handler: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    if (errors.length < mostErrors) errors.push(error);
    const isOurs = error instanceof SmsOtpError;
    res.status(isOurs ? error.status : 500).json({ code: isOurs ? error.code : null });
  };
  app.use(handler);
}
