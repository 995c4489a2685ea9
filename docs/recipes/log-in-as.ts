import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import session from 'express-session';
import passport from 'passport';
import { createSmsOtp } from 'passport-sms-otp';
import { addFirstFactor } from './first-factor';
import type { RecipeParts, Users } from './parts';

const MINUTE_MS = 60 * 1000;
const VIEW_MS = 15 * MINUTE_MS;

declare module 'express-session' {
  interface SessionData {
    /** The customer whose pages a staff member is viewing, and until when. */
    view: { readonly by: string; readonly customerId: string; readonly until: number };
  }
}

export interface StaffUsers extends Users {
  isStaff(id: string): Promise<boolean>;
  /** What the customer's page shows. */
  readAccount(id: string): Promise<object>;
}

/** One line of the record that the customer can read, too. Times: milliseconds since 1970. */
export interface ViewRecord {
  readonly by: string;
  readonly customerId: string;
  readonly reason: string;
  readonly at: number;
}

interface StaffParts extends RecipeParts {
  readonly users: StaffUsers;
  /** Writes the record down; what it throws keeps the view closed. */
  readonly record: (view: ViewRecord) => Promise<void>;
  readonly now?: () => number;
}

export function createApp({ users, gateway, record, now = Date.now, ...parts }: StaffParts) {
  addFirstFactor(passport, users);
  const smsOtp = createSmsOtp({
    gateway,
    secret: parts.otpSecret,
    allowedCountries: ['US'],
    getPhone: ({ id }) => users.findPhone(id),
    loadUser: (id) => users.findById(id), // Becomes req.user: leave the password hash out.
  });

  async function staffOnly(req: Request, res: Response, next: NextFunction): Promise<void> {
    if (await users.isStaff(req.user?.id ?? '')) return next();
    res.status(403).json({ error: 'staff-only' });
  }

  async function beginView(req: Request, res: Response): Promise<void> {
    const { customerId, reason } = (req.body ?? {}) as Readonly<Record<string, unknown>>; // Express types it as any.
    const [id, by] = [typeof customerId === 'string' ? customerId : '', req.user?.id ?? ''];
    const isCustomer = (await users.findById(id)) !== null && !(await users.isStaff(id));
    if (!isCustomer || typeof reason !== 'string' || reason.trim() === '')
      return void res.status(400).json({ error: 'no-customer-or-no-reason' });
    await record({ by, customerId: id, reason, at: now() });
    req.session.view = { by, customerId: id, until: now() + VIEW_MS };
    res.json({ viewing: id });
  }

  /** `req.user` stays who it is: a view never becomes a login of the customer. */
  async function showCustomer(req: Request, res: Response): Promise<void> {
    const { view } = req.session;
    if (view?.by !== req.user?.id || view === undefined || view.until <= now())
      return void res.status(403).json({ error: 'no-view' });
    res.json({ viewedBy: view.by, ...(await users.readAccount(view.customerId)) });
  }

  const app: Express = express();
  app.use(express.json());
  const cookie = { sameSite: 'lax' } as const; // Browsers send it with no form of another site.
  app.use(
    session({ secret: parts.sessionSecret, resave: false, saveUninitialized: false, cookie }),
  );
  app.use(passport.session());
  const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));

  const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
  app.post('/login', firstFactor, smsOtp.send(), answerStatus);
  app.post('/login/pin', smsOtp.verify(), answerStatus);
  app.post('/logout', smsOtp.logout(), (_req, res) => void res.sendStatus(204));
  app.get('/account', smsOtp.requireSecondFactor(), async (req, res) => {
    res.json(await users.readAccount(req.user?.id ?? ''));
  });

  // Staff, with a code of the last quarter of an hour.
  app.use('/support', smsOtp.requireSecondFactor({ maxAgeSeconds: 900 }), staffOnly);
  app.post('/support/view', beginView);
  app.post('/support/view/end', (req, res) => {
    delete req.session.view;
    res.sendStatus(204);
  });
  app.get('/support/view/account', showCustomer); // There is no POST: a view changes nothing.
  return app;
}
