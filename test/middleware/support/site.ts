import { Router, type Express, type RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import type { SmsOtp } from 'passport-sms-otp';
import { asTestUser } from '../../support/test-app';

/** The pages of a site with forms, on a router under /site. */
export function addSite(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
  const router = Router();
  const failureRedirect = '/site/again';
  // Passport types its middleware as any.
  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler;
  const notRequiredRedirect = '/site/plain';
  router.post(
    '/login',
    firstFactor,
    smsOtp.send({ successRedirect: '/site/pin', failureRedirect, notRequiredRedirect }),
  );
  router.post('/pin', smsOtp.verify({ successRedirect: '/site/home', failureRedirect }));
  router.post('/resend', smsOtp.resend({ successRedirect: '/site/pin', failureRedirect }));
  router.post('/cancel', smsOtp.cancel({ successRedirect: '/site/bye' }));
  router.post('/step-up', smsOtp.stepUp({ successRedirect: '/site/pin', failureRedirect }));
  const answer: RequestHandler = (req, res) => void res.json({ id: asTestUser(req.user).id });
  router.all('/account{/:page}', smsOtp.requireSecondFactor({ redirect: '/site/login' }), answer);
  router.all(
    '/fresh',
    smsOtp.requireSecondFactor({ redirect: '/site/why', maxAgeSeconds: 300 }),
    answer,
  );
  // As connect-ensure-login does.
  router.post('/return-to', (req, res) => {
    Object.assign(req.session, { returnTo: (req.body as { path: unknown }).path });
    res.json({});
  });
  app.use('/site', router);
}
