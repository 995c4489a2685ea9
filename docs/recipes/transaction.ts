import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp, type Transaction } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts } from './parts';

export interface Payments {
  execute(userId: string | undefined, payment: Transaction): Promise<void>;
}

export function createApp({
  users,
  payments,
  gateway,
  ...secrets
}: RecipeParts & { payments: Payments }): Express {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: secrets.otpSecret,
    allowedCountries: ['US'],
    appName: 'Example',
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
  });

  /**
   * What the user wants to pay. The code is bound to it: nothing else of this request counts later.
   */
  function readPayment(req: Request): Transaction {
    const { amount, payee } = req.body as Readonly<Record<string, unknown>>;
    return { amount: `${Number(amount).toFixed(2)} USD`, payee: String(payee) };
  }

  async function execute(req: Request, res: Response): Promise<void> {
    const payment = req.smsOtp?.transaction; // What the text message has shown.
    if (payment === undefined) throw new Error('verify is called without a purpose');
    await payments.execute(req.user?.id, payment);
    res.json({ paid: payment });
  }

  const app = express();
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(
    session({ secret: secrets.sessionSecret, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());
  const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post('/login', firstFactor, smsOtp.send(), answerStatus);
  app.post('/login/pin', smsOtp.verify({ purpose: 'login' }), answerStatus);

  const guard = smsOtp.requireSecondFactor();
  // The first half: amount and payee go into the text message, and into
  // `status(req).pending.transaction` for the page.
  app.post('/payments', guard, smsOtp.stepUp({ transaction: readPayment }), answerStatus);
  // The second half: the code of a login or a step-up is refused here, and this code everywhere
  // else.
  app.post('/payments/pin', guard, smsOtp.verify({ purpose: 'transaction' }), execute);
  app.post('/step-up', guard, smsOtp.stepUp(), answerStatus);
  app.post('/step-up/pin', guard, smsOtp.verify({ purpose: 'step-up' }), answerStatus);
  return app;
}
