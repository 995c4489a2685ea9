/** Compiled twice, as a CommonJS file (.cts) and as an ES module (.mts). Nothing here runs. */
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import {
  createSmsOtp,
  memoryStore,
  REASONS,
  SmsOtpError,
  SmsOtpStrategy,
  type AnySmsOtpError,
  type OtpGateway,
  type Policy,
  type Reason,
  type SmsOtp,
  type SmsOtpEvent,
  type SmsOtpOptions,
  type SmsOtpStore,
} from 'passport-sms-otp';
import { allowedCountries } from 'passport-sms-otp/policies';
import { createTotpSecret, totpFactor } from 'passport-sms-otp/totp';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';
import { GatewaySimulator, type SimulatorOptions } from 'passport-sms-otp/simulator';
import { smsGateway } from 'passport-sms-otp/sms-gateway';
import { appChecks, gatewayChecks, phoneBookChecks, storeChecks } from 'passport-sms-otp/testing';

declare global {
  namespace Express {
    interface User {
      id: string;
      phone: string | null;
    }
  }
}

/** What is typed through the augmentations must not have become `any` on the way. */
type IsAny<Type> = 0 extends 1 & Type ? true : false;
export const augmentationsAreTyped: {
  outcome: IsAny<express.Request['smsOtp']>;
  slot: IsAny<session.SessionData['smsOtp']>;
  user: IsAny<NonNullable<express.Request['user']>['phone']>;
} = { outcome: false, slot: false, user: false };

const gateway: GatewayClientOptions = {
  baseUrl: 'https://gateway.example',
  variant: 'B',
  username: 'account',
  password: 'secret',
  numbersAs: 'number',
  timeoutMs: 5_000,
};
const client = new GatewayClient(gateway);
const store: SmsOtpStore = memoryStore({ maxEntries: 1_000 });

const neverOnSundays: Policy = {
  name: 'never-on-sundays',
  stage: 'send',
  check: ({ purpose, mobile }) =>
    purpose === 'login' && mobile.startsWith('+1')
      ? 'allow'
      : { deny: 'denied', retryAfterSeconds: 60 },
};

const options: SmsOtpOptions = {
  gateway: client,
  getPhone: (user) => user.phone,
  secret: 'a secret of the tests, long enough to be one',
  loadUser: async (id) => ({ id, phone: null }),
  getUserId: (user) => user.id,
  allowedCountries: ['US', 'GB'],
  isRequiredFor: (user, req) => user.id !== 'robot' && req.ip !== '127.0.0.1',
  store,
  passport,
  messages: {
    template: ({ user, locale, purpose }) => `${user.id} ${locale ?? ''} ${purpose} [PIN]`,
  },
  limits: { perUser: { max: 3 } },
  policies: [neverOnSundays, allowedCountries(['US'])],
  factors: [
    totpFactor({
      secret: process.env.SECRET,
      findSecret: ({ phone }) => phone,
      acceptStep: ({ id }) => id !== '',
    }),
  ],
  onEvent: describeEvent,
  now: () => Date.now(),
};

const smsOtp: SmsOtp = createSmsOtp(options);

/** A gateway of the app, and one of a function that sends texts. */
const ownGateway: OtpGateway = {
  generate: async ({ to, validitySeconds }) => ({ id: to.slice(1), validitySeconds }),
  validate: async ({ pin }) => (pin === '123456' ? 'right' : 'wrong'),
};
const sendSms = async (to: string, text: string): Promise<void> => void [to, text];
export const others: readonly SmsOtpOptions[] = [
  { ...options, gateway: ownGateway },
  { ...options, gateway: smsGateway({ sendSms, store, secret: process.env.SECRET, digits: 8 }) },
];
// @ts-expect-error Its `validate` resolves to nothing: it is no gateway.
export const notAGateway: SmsOtpOptions = { ...options, gateway: client.otp };
const another = new SmsOtpStrategy(options, (_user, done) => done(null, false));
passport.use('another', another);
passport.use(new LocalStrategy((id, _password, done) => done(null, { id, phone: '+12025550123' })));

const app = express();
app.use(express.urlencoded({ extended: false }));
app.use(session({ secret: 'x', resave: false, saveUninitialized: false }));
app.use(passport.session());
app.post(
  '/login',
  passport.authenticate('local', { session: false }),
  smsOtp.send({
    successRedirect: '/login/pin',
    failureRedirect: '/login',
    notRequiredRedirect: '/',
  }),
);
app.post('/login/pin', smsOtp.verify(), (req, res) => {
  const outcome = req.smsOtp;
  if (outcome?.verified !== undefined) {
    res.json(
      outcome.verified
        ? { id: outcome.user.id, method: outcome.method }
        : { reason: outcome.reason },
    );
  } else res.sendStatus(500);
});
app.post('/login/pin/resend', smsOtp.resend({ failureRedirect: '/login/pin' }));
app.post('/login/cancel', smsOtp.cancel({ successRedirect: '/login' }));
app.post('/step-up', smsOtp.stepUp());
app.get('/login/pin', (req, res) => {
  const { pending, notice } = smsOtp.status(req);
  const otpId: string | null | undefined = req.session.smsOtp?.pending?.otpId;
  const at: number | undefined = req.session.smsOtp?.verified?.at;
  res.json({ maskedPhone: pending?.maskedPhone, resendAt: pending?.resendAt, notice, otpId, at });
});
app.get(
  '/account',
  smsOtp.requireSecondFactor({ maxAgeSeconds: 300, redirect: '/step-up' }),
  (req, res) => {
    res.json({ fresh: smsOtp.hasSecondFactor(req, { maxAgeSeconds: 60 }), id: req.user?.id });
  },
);

export const totpKey = createTotpSecret({
  secret: ['a', 'b'],
  userId: 1,
  issuer: 'a',
  account: 'b',
}).then(({ key }) => key);

/** `switch` over the code narrows to the class. */
export function describeError(error: AnySmsOtpError): string | number | null {
  switch (error.code) {
    case 'ERR_GATEWAY_REJECTED':
      return error.gatewayCode;
    case 'ERR_GATEWAY_BUSY':
      return error.retryAfterSeconds;
    case 'ERR_GATEWAY_TIMEOUT':
    case 'ERR_GATEWAY_UNREACHABLE':
      return error.mayHaveArrived ? 'maybe' : 'no';
    case 'ERR_GATEWAY_RESPONSE':
      return error.httpStatus;
    default:
      return error.cause?.code ?? error.message;
  }
}

function describeEvent(event: SmsOtpEvent): string {
  if (event.type === 'sent') return event.maskedPhone;
  return event.type === 'locked' ? String(event.lockedSeconds) : event.type;
}

export async function useEverythingElse(): Promise<readonly unknown[]> {
  const settings: SimulatorOptions = { variant: 'B', readings: { idAs: 'string' } };
  const simulator = await GatewaySimulator.start(settings);
  const otp = await client.otp.generate({ mobile: '+12025550123', validitySeconds: 300 });
  const detail: string | null = otp.variant === 'A' ? otp.sender : otp.cost;
  const validated: void = await client.otp.validate({
    id: otp.id,
    mobile: otp.mobile,
    pin: '123456',
  });
  const lookup = await client.hlr.lookup('12025550123');
  const money = [
    (await client.otp.balance()).balance,
    (await client.hlr.pricing()).pricing[0]?.price,
  ];
  const reasons: readonly Reason[] = REASONS;
  const titles = [...storeChecks, ...gatewayChecks, ...phoneBookChecks].map(({ title }) => title);
  await smsOtp.unlockUser('alice');
  await Promise.all([smsOtp.close(), client.close(), simulator.close()]);
  return [detail, validated, lookup.status, money, reasons, titles, SmsOtpError, app];
}
