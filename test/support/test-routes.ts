import type { ErrorRequestHandler, Express, Request } from 'express';
import type { PassportStatic } from 'passport';
import { SmsOtpError, type SmsOtp } from 'passport-sms-otp';
import { asTestUser } from './test-users';

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
  app.get('/status', (req, res) => void res.json(describe(req, smsOtp)));
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

/** Remembers what arrives and answers with the status of our errors, 500 for others. */
export function addErrorHandler(app: Express, errors: unknown[], mostErrors = Infinity): void {
  const handler: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    if (errors.length < mostErrors) errors.push(error);
    const isOurs = error instanceof SmsOtpError;
    res.status(isOurs ? error.status : 500).json({ code: isOurs ? error.code : null });
  };
  app.use(handler);
}
