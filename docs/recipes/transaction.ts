import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
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

  /** The code is bound to this payment: nothing else of the request counts later. */
  function readPayment(req: Request): Transaction {
    const payment = findPayment(req);
    if (payment === null) throw new Error('requirePayment has not run');
    return payment;
  }

  function requirePayment(req: Request, res: Response, next: NextFunction): void {
    if (findPayment(req) === null) return void res.status(400).json({ error: 'no-payment' });
    next();
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
  const approve = smsOtp.stepUp({ transaction: readPayment });
  app.post('/payments', guard, requirePayment, approve, answerStatus);
  // The second half: the code of a login or a step-up is refused here, and this code everywhere
  // else.
  app.post('/payments/pin', guard, smsOtp.verify({ purpose: 'transaction' }), execute);
  app.post('/step-up', guard, smsOtp.stepUp(), answerStatus);
  app.post('/step-up/pin', guard, smsOtp.verify({ purpose: 'step-up' }), answerStatus);
  return app;
}

const LARGEST_AMOUNT = 1_000_000;

/** Returns what the user wants to pay; null when the request does not say. */
function findPayment(req: Request): Transaction | null {
  const { amount, payee } = (req.body ?? {}) as Readonly<Record<string, unknown>>; // Express types it as any.
  if (typeof payee !== 'string' || payee.trim() === '') return null;
  const dollars = typeof amount === 'string' ? Number(amount) : amount;
  if (typeof dollars !== 'number' || !(dollars >= 0.01 && dollars <= LARGEST_AMOUNT)) return null;
  return { amount: `${dollars.toFixed(2)} USD`, payee };
}
