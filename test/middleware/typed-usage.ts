/**
 * Compiled by `npm run typecheck` and never run: how an app may write it, and what the compiler
 * refuses.
 */
import type { Request, RequestHandler } from 'express';
import {
  createSmsOtp,
  type AnySmsOtpError,
  type Policy,
  type PolicyContext,
  type Reason,
  type SendOutcome,
  type SmsOtp,
  type SmsOtpEvent,
  type SmsOtpOptions,
  type SmsOtpStatus,
  type VerifyOutcome,
} from 'passport-sms-otp';
import { GatewayClient } from 'passport-sms-otp/client';

/** The app's own user: an interface, with more than Express.User knows. */
interface MyUser extends Express.User {
  readonly email: string;
  readonly isStaff: boolean;
}

declare const users: {
  find(id: string): Promise<MyUser | undefined>;
  numberOf(user: MyUser): Promise<string | null>;
};

const gateway = {
  baseUrl: 'https://gateway.example',
  variant: 'B',
  username: 'u',
  password: 'p',
} as const;

const workingHours: Policy<MyUser> = {
  name: 'working-hours',
  stage: 'send',
  check: ({ user, purpose }: PolicyContext<MyUser>) =>
    user.isStaff || purpose === 'step-up' ? 'allow' : { deny: 'denied', retryAfterSeconds: 60 },
};

/** Callbacks may name the app's own user, and may return promises. */
export const options: SmsOtpOptions = {
  gateway: new GatewayClient(gateway),
  getPhone: (user: MyUser) => users.numberOf(user),
  secret: 'a secret of the tests, long enough to be one',
  loadUser: async (id: string) => users.find(id),
  getUserId: (user: MyUser) => user.id,
  isRequiredFor: async (user: MyUser, req) =>
    user.isStaff || (await users.find(String(req.ip))) !== undefined,
  getLocale: (user: MyUser) => (user.isStaff ? 'en' : undefined),
  messages: {
    template: ({ user, locale, purpose }) => `${user.name}: [PIN] (${purpose}, ${locale ?? 'en'})`,
  },
  allowedCountries: ['US', 'GB'],
  policies: [workingHours],
  limits: { perUser: { max: 3 }, failures: { max: 5 } },
  keepSessionKeys: ['bank'],
  onEvent: async (event: SmsOtpEvent) => {
    await Promise.resolve(event.type);
  },
};

/** Methods may be taken off; a middleware fits where Express wants a handler. */
const {
  send,
  resend,
  verify,
  cancel,
  stepUp,
  requireSecondFactor,
  hasSecondFactor,
  status,
  close,
} = createSmsOtp({
  gateway,
  getPhone: () => null,
  secret: 'a secret of the tests, long enough to be one',
  loadUser: () => null,
  allowedCountries: 'any',
});

export const handlers: RequestHandler[] = [
  send({ successRedirect: '/pin', failureRedirect: '/login', notRequiredRedirect: '/' }),
  verify({ successRedirect: '/', keepSessionInfo: true, session: true, authInfo: false }),
  resend(),
  cancel({ successRedirect: '/' }),
  stepUp({ successRedirect: undefined }),
  requireSecondFactor({ maxAgeSeconds: 300, redirect: '/step-up', allowNotRequired: true }),
  requireSecondFactor({ methods: ['sms', 'recovery-code'] as const }),
];

/** Reads the outcome of a middleware and the slot, both typed through the augmentations. */
export function read(req: Request): (string | number | boolean | undefined)[] {
  const outcome = req.smsOtp;
  const { pending, verified, notice }: SmsOtpStatus = status(req);
  const reason: Reason | null = notice;
  return [
    outcome?.verified === undefined ? undefined : describeVerify(outcome),
    pending?.maskedPhone,
    verified?.at,
    reason ?? undefined,
    req.session.smsOtp?.verified?.userId,
    hasSecondFactor(req, { maxAgeSeconds: 60, methods: ['sms'] }),
    verified?.amr.join(' '),
  ];
}

/** Each member of the union has the others' names: a handler may ask for any of them. */
export function askDirectly({
  smsOtp,
}: Request): readonly (string | number | boolean | undefined)[] {
  if (smsOtp?.verified) return [smsOtp.user.id, smsOtp.method, smsOtp.at];
  if (smsOtp?.sent) return [smsOtp.maskedPhone, smsOtp.expiresAt];
  return [
    smsOtp?.verified,
    smsOtp?.sent,
    smsOtp?.cancelled,
    smsOtp?.loggedOut,
    smsOtp?.changed,
    smsOtp?.pending,
    smsOtp?.reason,
    smsOtp?.retryAfterSeconds,
    smsOtp?.transaction?.amount,
  ];
}

/** An environment variable may be missing, and ids are what `Express.User` says. */
export const fromEnvironment = createSmsOtp({
  gateway: {
    baseUrl: process.env.SMS_OTP_BASE_URL,
    variant: 'A',
    username: process.env.SMS_OTP_USERNAME,
    password: process.env.SMS_OTP_PASSWORD,
  },
  secret: [process.env.SMS_OTP_SECRET, process.env.SMS_OTP_EARLIER_SECRET],
  allowedCountries: ['US'],
  phoneBook: {
    list: (id) => [{ mobile: id.trim(), isConfirmed: true, isDefault: true }],
    addUnconfirmed: () => undefined,
    confirm: () => true,
    replace: () => true,
    remove: () => true,
    setDefault: () => true,
  },
  loadUser: (id) => users.find(id),
  endOtherSessions: (id) => users.find(id),
});

function describeVerify(outcome: VerifyOutcome): string {
  return outcome.verified ? `${outcome.user.id} by ${outcome.method}` : outcome.reason;
}

export function describeSend(outcome: SendOutcome): number {
  return outcome.sent ? outcome.expiresAt : (outcome.retryAfterSeconds ?? 0);
}

/** Logins are there unless they are switched off. */
export const listed = [
  () => {
    const { logins: _default, ...others } = options;
    return createSmsOtp(others).logins.list('alice');
  },
  () =>
    createSmsOtp({
      gateway,
      getPhone: () => null,
      loadUser: () => null,
      allowedCountries: 'any',
      secret: options.secret,
    }).logins.list('alice'),
  () => createSmsOtp({ ...options, logins: { checkEverySeconds: 0 } }).logins.list('alice'),
  () => {
    const none: undefined = createSmsOtp({ ...options, logins: false }).logins;
    return none;
  },
];

/** The code narrows to the class. */
export function describeError(error: AnySmsOtpError): number | string | null {
  if (error.code === 'ERR_GATEWAY_REJECTED') return error.gatewayCode;
  return error.code === 'ERR_GATEWAY_BUSY' ? error.retryAfterSeconds : error.message;
}

/** A column that may be missing needs no `?? null`. */
export const numbers = [
  () => createSmsOtp({ ...options, getPhone: (user: { phone?: string }) => user.phone }),
  () =>
    createSmsOtp({
      ...options,
      getPhone: ({ phone }: { phone?: string }) => ({ number: phone, isConfirmed: true }),
    }),
];

export const refused = [
  () => {
    const { allowedCountries: _left, ...without } = options;
    // @ts-expect-error The country list is required.
    return createSmsOtp(without);
  },
  // @ts-expect-error There is no such option.
  () => createSmsOtp({ ...options, allowedCountries: 'any', maxAttempt: 3 }),
  // @ts-expect-error A number is a text in E.164.
  () => createSmsOtp({ ...options, getPhone: () => 12025550123 }),
  // @ts-expect-error An id must be known when it is asked for.
  () => createSmsOtp({ ...options, getUserId: async () => Promise.resolve('alice') }),
  // @ts-expect-error There is no such option of a guard.
  () => requireSecondFactor({ maxAge: 300 }),
  // @ts-expect-error A status is read-only.
  (req: Request) => (status(req).notice = null),
  // @ts-expect-error They may be switched off.
  (made: SmsOtp) => made.logins.list('alice'),
  // @ts-expect-error The outcome must be told apart first.
  (outcome: VerifyOutcome) => String(outcome.user),
  () => close(),
];
