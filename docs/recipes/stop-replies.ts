import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp, noticeText } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import { serveOnce } from './once';
import { refuseOptedOut, type RepliesOptions, takeReplies } from './opt-outs';
import type { RecipeParts } from './parts';

/** For `denied`, whoever reads it: it says what to do, and not whether this number has opted out. */
export const STOPPED =
  'We could not text you a code. If you have replied STOP to us, text START to 12345 from that ' +
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

  /** What happened, for people. */
  function readNotice(req: Request): string {
    const { notice, retryAt } = smsOtp.status(req);
    if (notice === 'denied') return STOPPED;
    return notice === null ? '' : noticeText(notice, { locale: 'en', retryAt });
  }

  function showLogin(req: Request, res: Response): void {
    res.send(`<!doctype html><title>Log in</title>${ONCE}<p role="alert">${readNotice(req)}</p>
      <form method="post"><label>Name <input name="username"></label>
      <label>Password <input type="password" name="password"></label><button>Go on</button></form>`);
  }

  function showCode(req: Request, res: Response): void {
    const { pending } = smsOtp.status(req);
    if (pending === null) return res.redirect(303, '/login');
    const canRecover = pending.factors.includes('recovery-code');
    res.send(`<!doctype html><title>Your code</title>${ONCE}<p role="alert">${readNotice(req)}</p>
      <form method="post"><label>Code <input name="pin" autocomplete="one-time-code"></label><button>Log in</button></form>
      <form method="post" action="/login/resend"><button>Text me a code</button></form>
      ${canRecover ? RECOVERY_FORM : ''}`);
  }

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  const pages = { successRedirect: '/account', failureRedirect: '/login/pin' };
  app.get('/once.js', serveOnce);
  app.get('/login', showLogin);
  app.post(
    '/login',
    firstFactor,
    smsOtp.send({ successRedirect: '/login/pin', failureRedirect: '/login' }),
  );
  app.get('/login/pin', showCode);
  app.post('/login/pin', smsOtp.verify(pages));
  app.post(
    '/login/resend',
    smsOtp.resend({ successRedirect: '/login/pin', failureRedirect: '/login/pin' }),
  );
  app.post('/login/recover', smsOtp.recover(pages));

  const guard = smsOtp.requireSecondFactor();
  app.get('/account', guard, (req, res) => void res.json({ id: req.user?.id }));
  app.post('/account/recovery-codes', guard, async (req, res) => {
    res.set('Cache-Control', 'no-store');
    res.json(await smsOtp.recoveryCodes.generate(req.user?.id ?? '', req));
  });
  return app;
}

const ONCE = '<script src="/once.js"></script>';

const RECOVERY_FORM = `<form method="post" action="/login/recover">
  <label>Recovery code <input name="recoveryCode"></label><button>Log in</button></form>`;
