/**
 * A small app for the command `audit`, as a process of its own. It takes its gateway and its port
 * from the environment. With `FORGETS_GUARD` one page has no guard. With `FAILS_AT_CODE` it prints all
 * that it knows and answers 500. `OWN_GATEWAY` takes the place of the gateway.
 */
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import { createSmsOtp } from 'passport-sms-otp';
import { asTestUser, asUser } from '../../support/test-users';

const { env } = process;
const users = new Map([
  ['alice', { id: 'alice', phone: '+12025550123' }],
  ['bob', { id: 'bob', phone: '+13125550177' }],
]);

passport.use(
  new LocalStrategy((name, given, done) => {
    const user = users.get(name);
    done(null, given === env.TEST_PASSWORD && asUser(user));
  }),
);
passport.serializeUser((user, done) => done(null, asTestUser(user).id));
passport.deserializeUser((id: string, done) => done(null, asUser(users.get(id))));

const smsOtp = createSmsOtp({
  gateway: {
    baseUrl: env.OWN_GATEWAY ?? String(env.GATEWAY_URL),
    variant: env.SMS_OTP_VARIANT === 'B' ? 'B' : 'A',
    username: String(env.SMS_OTP_USERNAME),
    password: String(env.SMS_OTP_PASSWORD),
  },
  secret: 'a secret of the tests, long enough to be one',
  allowedCountries: ['US'],
  getPhone: (user) => asTestUser(user).phone,
  loadUser: (id) => asUser(users.get(id)),
});

const app = express();
app.use(express.json());
app.use(
  session({
    secret: 'a secret of the sessions',
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax' },
  }),
);
app.use(passport.session());
const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler; // Typed as any.
const answerStatus: RequestHandler = (req, res) => void res.json(smsOtp.status(req));
app.post('/login', firstFactor, smsOtp.send(), answerStatus);
app.post('/login/pin', (req, res, next) => {
  if (env.FAILS_AT_CODE === undefined) return next();
  for (let line = 0; line < 50; line += 1) console.log(`line ${line}`);
  const { pin } = req.body as { readonly pin: string };
  console.error(`The code ${pin} of ${users.get('alice')?.phone} failed`);
  console.error(`cookie ${req.headers.cookie}`);
  console.error('Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl');
  res.sendStatus(500);
});
app.post('/login/pin', smsOtp.verify(), answerStatus);
const guard = env.FORGETS_GUARD === undefined ? [smsOtp.requireSecondFactor()] : [];
app.get('/account', ...guard, answerStatus);
app.listen(Number(env.PORT), '127.0.0.1');
