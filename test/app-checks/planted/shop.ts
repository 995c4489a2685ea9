import express, { type Express, type Request, type RequestHandler } from 'express';
import session, { type CookieOptions } from 'express-session';
import type { PassportStatic } from 'passport';
import { createSmsOtp, noticeText, type SmsOtpOptions } from 'passport-sms-otp';
import type { AppDescription, HoleName } from 'passport-sms-otp/testing';
import {
  answerErrorsInJson,
  createPassport,
  findUser,
  firstFactor,
  idOf,
  otpOptions,
} from '../sound/parts';
import { type Gateway, passwordOf, readField, serve, USERS } from '../support/base-app';

/** What a plant can change before the shop listens. */
export interface Shop {
  readonly app: Express;
  readonly gateway: Gateway;
  readonly passport: PassportStatic;
  readonly smsOtp: ShopOtp;
  readonly guard: RequestHandler;
  /** The handlers of each route, such as `POST /login`. */
  readonly routes: Record<string, readonly RequestHandler[]>;
}

type ShopOtp = ReturnType<typeof createOtp>;

/** A small shop as a new user of the package would write it, with at most one hole. */
export interface Plant {
  readonly title: string;
  /** Null in a sound shop. */
  readonly hole: HoleName | null;
  /** The guarded page that is open. */
  readonly at?: string;
  /** Holes that come with it. */
  readonly also?: readonly HoleName[];
  /** Takes forms and redirects, or takes JSON and answers with it. */
  readonly shape: 'form' | 'json';
  readonly options?: (clock: Clock) => Partial<SmsOtpOptions>;
  readonly cookie?: CookieOptions;
  readonly trustProxy?: number;
  /** Comes before sessions. */
  readonly early?: (app: Express) => void;
  readonly change?: (shop: Shop) => void;
  readonly describe?: Partial<AppDescription>;
}

export interface Clock {
  ms: number;
}

/** Who may see an account page of an app that has only Passport. */
export const isLoggedIn: RequestHandler = (req, res, next) => {
  if (req.isAuthenticated()) next();
  else res.redirect(303, '/login');
};

/** Logs a user in by Passport alone, and then goes on. */
export function logInAs(name: string, then: (req: Request) => string): RequestHandler {
  return (req, res, next) => {
    const user = findUser(name || readField(req, 'username'));
    if (user === false) return void res.sendStatus(400);
    req.logIn(user, (error: unknown) => {
      if (error) next(error);
      else res.redirect(303, then(req));
    });
  };
}

function formRoutes({ smsOtp, passport, guard }: Omit<Shop, 'routes'>): Shop['routes'] {
  const noticeOf = (req: Request): string => {
    const { notice, retryAt } = smsOtp.status(req);
    return notice === null ? '' : `<p role="alert">${noticeText(notice, { retryAt })}</p>`;
  };
  const form = (action: string, name: string): string =>
    `<form method="post" action="${action}"><input name="${name}"></form>`;
  return {
    'GET /login': [
      (req, res) => {
        const wrong = 'wrong' in req.query ? 'Please try again.' : noticeOf(req);
        res.send(`<title>Shop</title>${wrong}${form('/login', 'username')}`);
      },
    ],
    'POST /login': [
      firstFactor(passport, { failureRedirect: '/login?wrong' }),
      smsOtp.send({ successRedirect: '/code', failureRedirect: '/login' }),
    ],
    'GET /code': [
      (req, res) => {
        const notice = noticeOf(req);
        if (smsOtp.status(req).pending === null) res.redirect('/login');
        else res.send(`${notice}${form('/code', 'pin')}${form('/resend', 'again')}`);
      },
    ],
    'POST /code': [smsOtp.verify({ successRedirect: '/profile', failureRedirect: '/code' })],
    'POST /resend': [smsOtp.resend({ successRedirect: '/code', failureRedirect: '/code' })],
    'POST /logout': [smsOtp.logout({ successRedirect: '/login' })],
    'GET /profile': [guard, (req, res) => void res.send(`<h1>${idOf(req)}</h1>`)],
    'POST /profile': [guard, (_req, res) => res.redirect(303, '/profile')],
  };
}

function jsonRoutes({ smsOtp, passport, guard }: Omit<Shop, 'routes'>): Shop['routes'] {
  const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));
  return {
    'POST /api/login': [firstFactor(passport), smsOtp.send(), answerStatus],
    'POST /api/code': [smsOtp.verify(), answerStatus],
    'POST /api/resend': [smsOtp.resend(), answerStatus],
    'POST /api/logout': [smsOtp.logout(), (_req, res) => void res.sendStatus(204)],
    'GET /api/orders': [guard, (req, res) => void res.json({ of: idOf(req), orders: [] })],
    'PATCH /api/orders/7': [guard, (_req, res) => void res.json({ id: 7 })],
    'DELETE /api/orders/0': [guard, (_req, res) => void res.status(404).json({ error: 'none' })],
  };
}

const FORM_SHOP = {
  login: { path: '/login', password: ({ name }) => passwordOf(name) },
  code: { path: '/code' },
  guarded: ['/profile', { path: '/profile', method: 'POST', fields: { city: 'Rome' } }],
  resend: { path: '/resend', page: '/code' },
  logout: { path: '/logout', page: '/profile' },
} satisfies Partial<AppDescription>;

const JSON_SHOP = {
  jsonForms: true,
  login: { path: '/api/login', password: ({ name }) => passwordOf(name) },
  code: { path: '/api/code' },
  guarded: [
    '/api/orders',
    { path: '/api/orders/7', method: 'PATCH', fields: { note: 'ring twice' } },
    { path: '/api/orders/0', method: 'DELETE' },
  ],
  resend: { path: '/api/resend' },
  logout: { path: '/api/logout' },
} satisfies Partial<AppDescription>;

function createOtp(
  gateway: Gateway,
  passport: PassportStatic,
  clock: Clock,
  changed: Partial<SmsOtpOptions>,
) {
  const options = { ...otpOptions(gateway, passport), logins: {}, now: () => clock.ms };
  return createSmsOtp({ ...options, ...changed });
}

function assemble(gateway: Gateway, plant: Plant, clock: Clock): Shop {
  const passport = createPassport();
  const smsOtp = createOtp(gateway, passport, clock, plant.options?.(clock) ?? {});
  const app = express();
  app.set('trust proxy', plant.trustProxy ?? 0);
  plant.early?.(app);
  app.use(express.urlencoded({ extended: false }), express.json());
  app.use(
    session({
      secret: 'a secret of the sessions',
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax', ...plant.cookie },
    }),
  );
  app.use(passport.session());
  const isForm = plant.shape === 'form';
  const guard = smsOtp.requireSecondFactor(isForm ? { redirect: '/login' } : {});
  const early = { app, gateway, passport, smsOtp, guard };
  const shop = { ...early, routes: isForm ? formRoutes(early) : jsonRoutes(early) };
  plant.change?.(shop);
  for (const [name, handlers] of Object.entries(shop.routes)) {
    const [method = '', path = ''] = name.split(' ');
    app.all(
      path,
      (req, _res, next) => (req.method === method ? next() : next('route')),
      ...handlers,
    );
  }
  app.use(answerErrorsInJson);
  return shop;
}

/** Describes a shop as its developer would. */
export function describeShop(gateway: Gateway, plant: Plant): AppDescription {
  const clock = { ms: Date.now() };
  const shape = plant.shape === 'form' ? FORM_SHOP : JSON_SHOP;
  const { stepUp } = plant.describe ?? {};
  return {
    simulator: () => gateway.simulator,
    users: USERS,
    start: () => {
      const { app, smsOtp } = assemble(gateway, plant, clock);
      return serve(app, () => smsOtp.close());
    },
    ...shape,
    ...plant.describe,
    ...(stepUp && { stepUp: { ...stepUp, passTime: () => (clock.ms += 600_000) } }),
  };
}
