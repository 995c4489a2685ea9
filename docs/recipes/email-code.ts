import express, { type Express } from 'express';
import session from 'express-session';
import passport from 'passport';
import {
  createSmsOtp,
  type DeliveredFactor,
  memoryStore,
  noticeText,
  type SmsOtpStore,
} from 'passport-sms-otp';
import { smsOtpPages } from 'passport-sms-otp/pages';
import { smsGateway } from 'passport-sms-otp/sms-gateway';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';

/** Your mailer, such as nodemailer's transport. */
export interface Mailer {
  /** Resolves when the mail server has accepted the message. */
  sendMail(message: { to: string; subject: string; text: string }): Promise<unknown>;
}

export interface EmailCodeOptions {
  readonly mailer: Mailer;
  /** The `store` and the `secret` of `createSmsOtp`. */
  readonly store: SmsOtpStore;
  readonly secret: string;
  /** Returns the address that the user has confirmed, or null if there is none. */
  findEmail(userId: string): Promise<string | null>;
}

/** A factor that sends its codes by email. `smsGateway` makes and checks them. */
export function emailCode({ mailer, ...options }: EmailCodeOptions): DeliveredFactor {
  const { store, secret } = options;
  return {
    name: 'email-code',
    amr: 'email', // RFC 8176 has no value for email.
    gateway: smsGateway({
      store,
      secret,
      // What it throws counts as "may have been sent", unless it has mayHaveArrived: false.
      sendSms: (to, text) => mailer.sendMail({ to, subject: 'Your code', text }),
    }),
    getAddress: ({ id }) => options.findEmail(id),
  };
}

type Parts = RecipeParts & Pick<EmailCodeOptions, 'mailer' | 'findEmail'>;

export function createApp({ users, gateway, mailer, findEmail, ...parts }: Parts): Express {
  addFirstFactor(passport, users);
  const secret = parts.otpSecret;
  const store = memoryStore(); // redisStore(client) with more than one process.
  const smsOtp = createSmsOtp({
    gateway,
    store,
    secret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    factors: [emailCode({ mailer, store, secret, findEmail })],
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
    appName: 'Harbour',
    paths: { login: '/login', home: '/account' },
  });

  const app = express();
  app.use(express.urlencoded({ extended: false }));
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(
    session({ secret: parts.sessionSecret, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());

  app.use(smsOtpPages(smsOtp)); // The code page offers the address beside the number.

  app.get('/login', (req, res) => {
    const { notice, retryAt } = smsOtp.status(req);
    res.send(`<!doctype html><title>Log in</title>
      <script src="/second-factor/pages.js" defer></script>
      <p role="alert">${noticeText(notice, { retryAt })}</p>
      <form method="post"><label>Name <input name="username"></label>
      <label>Password <input type="password" name="password"></label><button>Go on</button></form>`);
  });
  app.post('/login', smsOtp.firstFactor('local'), smsOtp.send());
  app.post('/logout', smsOtp.logout());

  app.get('/account', smsOtp.requireSecondFactor(), (req, res) => {
    res.json({ id: req.user?.id, amr: smsOtp.status(req).verified?.amr });
  });
  // A code by email is not enough here: a reader of the mailbox can also reset the password.
  const strong = smsOtp.requireSecondFactor({ methods: ['sms'], maxAgeSeconds: 300 });
  app.post('/email', strong, (_req, res) => void res.json({ changed: true }));
  return app;
}
