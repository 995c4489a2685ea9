import express, { type Express } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp, noticeText } from 'passport-sms-otp';
import { smsOtpPages } from 'passport-sms-otp/pages';
import { addFirstFactor } from './first-factor';
import { refuseOptedOut, type RepliesOptions, takeReplies } from './opt-outs';
import type { RecipeParts } from './parts';

/** The notice `denied`. It says what to do, and not whether this number has opted out. */
export const STOPPED =
  'We could not send you a code. If you have replied STOP to us, text START to 12345 from that ' +
  'phone and ask for a new code, or use a recovery code.';

export function createApp({
  users,
  gateway,
  ...parts
}: RecipeParts & Omit<RepliesOptions, 'now'> & { readonly now?: () => number }): Express {
  addFirstFactor(passport, users);
  const { optOuts, webhookSecret, now = Date.now } = parts;
  const smsOtp = createSmsOtp({
    gateway,
    secret: parts.otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    policies: [refuseOptedOut(optOuts)],
    recoveryCodes: {},
    paths: { login: '/login', home: '/account' },
  });

  const app = express();
  // Before the session and the parsers, and without your CSRF check: the provider has no cookie.
  app.post('/texts/replies', takeReplies({ optOuts, webhookSecret, now }));
  app.use(express.urlencoded({ extended: false }));
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(
    session({ secret: parts.sessionSecret, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());

  app.use(smsOtpPages(smsOtp, { texts: { en: { 'notice.denied': STOPPED } } }));

  app.get('/login', (req, res) => {
    const { notice, retryAt } = smsOtp.status(req);
    const text = notice === 'denied' ? STOPPED : noticeText(notice, { retryAt });
    res.send(`<!doctype html><title>Log in</title>
      <script src="/second-factor/pages.js" defer></script><p role="alert">${text}</p>
      <form method="post"><label>Name <input name="username"></label>
      <label>Password <input type="password" name="password"></label><button>Go on</button></form>`);
  });
  app.post('/login', smsOtp.firstFactor('local'), smsOtp.send());

  const guard = smsOtp.requireSecondFactor();
  app.get('/account', guard, (req, res) => void res.json({ id: req.user?.id }));
  return app;
}
