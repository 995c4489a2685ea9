import type { Look, Page, PageBase, Way } from '../../src/pages/page';

/** What every page of these tests has. */
export const BASE: PageBase = {
  locale: 'en',
  appName: 'Harbour',
  notice: null,
  fields: {
    code: 'pin',
    phone: 'phone',
    phoneId: 'phoneId',
    recoveryCode: 'recoveryCode',
    trustDevice: 'trustDevice',
  },
  csrf: { name: '_csrf', value: 'token-of-the-app' },
  homeHref: '/account',
  loginHref: '/login',
  isLoggedIn: false,
  settingsHref: null,
};

export const LOOK: Look = {
  logo: '/harbour.svg',
  accent: '#0b5563',
  stylesheet: '/harbour.css',
  help: 'https://harbour.example/help',
};

/** A look without any option. */
export const PLAIN_LOOK: Look = { logo: null, accent: null, stylesheet: null, help: null };

const WAYS: readonly Way[] = [
  { kind: 'challenge', factor: 'passkey', href: 'factor-passkey' },
  { kind: 'typed', factor: 'totp', href: 'factor-totp' },
  { kind: 'typed', factor: 'Hardware key', href: 'factor-hardware' },
  { kind: 'recovery-code', factor: 'recovery-code', href: 'recovery-code' },
];

const RESEND = {
  seconds: 42,
  isText: true,
  isLocked: false,
  others: [{ phoneId: 'second-phone', factor: 'sms', digits: '77', address: null }],
};
/** The code went by email. The user also has a number, and a call can go there too. */
const BY_EMAIL = {
  factor: 'email-code',
  digits: 'rg',
  address: 'a•••@a-rather-long-name-of-a-company.example.org',
  resend: {
    seconds: 42,
    isText: false,
    isLocked: false,
    others: [
      { phoneId: 'first-phone', factor: 'sms', digits: '88', address: null },
      { phoneId: 'by-call', factor: 'call', digits: '88', address: '•• •• 88' },
      { phoneId: 'other', factor: 'email-code', digits: 'rg', address: 'b•••@example.org' },
    ],
  },
};
const INSIDE = { isLoggedIn: true, settingsHref: 'settings' } as const;

const error = (text: string) => ({ notice: { kind: 'error', text } as const });
const info = (text: string) => ({ notice: { kind: 'info', text } as const });
const WRONG = error('That code is not correct. Check it and try again.');
const LOCKED = error('Too many wrong codes were entered for this account. Try again in 15 min.');

export const CODE = {
  ...BASE,
  name: 'code',
  purpose: 'login',
  state: 'sent',
  action: 'code',
  factor: 'sms',
  digits: '88',
  address: null,
  secondsLeft: 570,
  attemptsLeft: null,
  transaction: null,
  trustDays: 30,
  resend: RESEND,
  ways: WAYS,
  isNoticeAboutCode: false,
} as const satisfies Page;

const PAYMENT = { amount: 'USD 1,250.00', payee: 'Quayside Foundry' };

const codePages: Readonly<Record<string, Page>> = {
  'code-sent': CODE,
  'code-sent-by-email': { ...CODE, ...BY_EMAIL },
  'code-wrong': { ...CODE, ...WRONG, isNoticeAboutCode: true, attemptsLeft: 3 },
  'code-resent': { ...CODE, ...info('A new code has been sent.'), resend: null, secondsLeft: 30 },
  'code-unknown-number': { ...CODE, digits: '', ways: [], trustDays: null },
  'code-not-sent': {
    ...CODE,
    ...error('We could not send you a code. Try again in a moment, or log in another way.'),
    state: 'not-sent',
  },
  'code-not-sent-no-notice': {
    ...CODE,
    state: 'not-sent',
    resend: { seconds: 0, isText: true, isLocked: false, others: [] },
  },
  'code-other-factor': {
    ...CODE,
    state: 'other-factor',
    resend: { seconds: 0, isText: true, isLocked: false, others: [] },
  },
  'code-locked': { ...CODE, ...LOCKED, state: 'locked', resend: null },
  'code-locked-other-place': {
    ...CODE,
    ...LOCKED,
    state: 'locked',
    resend: { ...BY_EMAIL.resend, isText: true, isLocked: true },
  },
  'code-locked-no-ways': { ...CODE, ...LOCKED, state: 'locked', ways: [], resend: null },
  'code-no-attempts': {
    ...CODE,
    ...error('Too many wrong codes. This code no longer works.'),
    state: 'no-attempts',
  },
  'code-no-attempts-no-resend': { ...CODE, state: 'no-attempts', resend: null },
  'code-step-up': { ...CODE, ...INSIDE, purpose: 'step-up', trustDays: null },
  'code-transaction': {
    ...CODE,
    ...INSIDE,
    purpose: 'transaction',
    transaction: PAYMENT,
    trustDays: null,
  },
  'code-enroll': {
    ...CODE,
    ...INSIDE,
    purpose: 'enroll',
    action: 'confirm-number',
    trustDays: null,
    ways: [],
  },
};

const FACTOR = {
  ...BASE,
  name: 'factor',
  factor: 'totp',
  kind: 'typed',
  purpose: 'login',
  trustDays: 30,
  action: 'factor-totp',
  optionsAction: null,
} as const satisfies Page;

const PASSKEY = {
  factor: 'passkey',
  kind: 'challenge',
  action: 'factor-passkey',
  optionsAction: 'factor-passkey-options',
} as const;

const factorPages: Readonly<Record<string, Page>> = {
  'other-ways': { ...BASE, name: 'other-ways', resend: RESEND, ways: WAYS, help: LOOK.help },
  'other-ways-email': {
    ...BASE,
    name: 'other-ways',
    resend: BY_EMAIL.resend,
    ways: [],
    help: null,
  },
  'other-ways-none': { ...BASE, name: 'other-ways', resend: null, ways: [], help: null },
  'recovery-code': { ...BASE, name: 'recovery-code', trustDays: null },
  'recovery-code-wrong': { ...BASE, ...WRONG, name: 'recovery-code', trustDays: null },
  'factor-totp': FACTOR,
  'factor-totp-wrong': { ...FACTOR, ...WRONG, trustDays: null },
  'factor-named': { ...FACTOR, factor: 'Hardware key', action: 'factor-hardware' },
  'factor-passkey': { ...FACTOR, ...PASSKEY },
  'factor-passkey-failed': {
    ...FACTOR,
    ...PASSKEY,
    ...error('We could not accept that. Try again.'),
    trustDays: null,
  },
};

const STEP_UP = {
  ...BASE,
  ...INSIDE,
  name: 'step-up',
  sends: 'message',
  digits: '88',
  first: null,
  hasFactor: true,
  addNumberHref: null,
} as const satisfies Page;

const ADD_NUMBER = {
  ...BASE,
  ...INSIDE,
  name: 'add-number',
  typed: '',
  replaces: null,
  national: false,
} as const satisfies Page;

const stepUpPages: Readonly<Record<string, Page>> = {
  'step-up': {
    ...STEP_UP,
    ...info('It has been a while since your last code. Please confirm that it is you.'),
  },
  'step-up-unknown-number': { ...STEP_UP, digits: '' },
  'step-up-email': { ...STEP_UP, sends: 'code', digits: '' },
  'step-up-passkey': {
    ...STEP_UP,
    sends: null,
    first: { kind: 'challenge', factor: 'passkey', href: 'factor-passkey' },
  },
  'step-up-no-factor': { ...STEP_UP, hasFactor: false, addNumberHref: 'add-number' },
  'step-up-no-way': { ...STEP_UP, hasFactor: false, settingsHref: null },
  'add-number': ADD_NUMBER,
  'add-number-refused': {
    ...ADD_NUMBER,
    ...error('That does not look like a phone number.'),
    typed: '0188 x',
    national: true,
  },
  'add-number-replaces': { ...ADD_NUMBER, replaces: { phoneId: 'first-phone', digits: '88' } },
};

const SETTINGS = {
  ...BASE,
  ...INSIDE,
  name: 'settings',
  mayChange: true,
  mayAdd: true,
  confirmHref: 'confirm',
  numbers: [
    { phoneId: 'first-phone', digits: '88', isDefault: true, isConfirmed: true },
    { phoneId: 'second-phone', digits: '77', isDefault: false, isConfirmed: true },
    { phoneId: 'third-phone', digits: '66', isDefault: false, isConfirmed: false },
  ],
  recoveryCodesLeft: 7,
  devices: [
    { deviceId: 'device-1', label: 'Firefox on Linux', createdAt: Date.UTC(2026, 10, 1, 9, 30) },
    { deviceId: 'device-2', label: '', createdAt: Date.UTC(2026, 10, 20, 18, 5) },
  ],
  logins: [
    {
      loginId: 'login-1',
      label: 'Firefox on Linux',
      startedAt: Date.UTC(2026, 10, 27, 8, 0),
      lastSeenAt: Date.UTC(2026, 10, 27, 9, 15),
      isCurrent: true,
    },
    {
      loginId: 'login-2',
      label: 'Safari on iPhone',
      startedAt: Date.UTC(2026, 10, 25, 20, 40),
      lastSeenAt: Date.UTC(2026, 10, 26, 7, 10),
      isCurrent: false,
    },
  ],
} as const satisfies Page;

const settingsPages: Readonly<Record<string, Page>> = {
  settings: { ...SETTINGS, ...info('The number has been removed.') },
  'settings-confirm-first': { ...SETTINGS, mayChange: false, mayAdd: false },
  'settings-one-number': {
    ...SETTINGS,
    numbers: SETTINGS.numbers.slice(0, 1),
    recoveryCodesLeft: 0,
    devices: [],
    logins: SETTINGS.logins.slice(0, 1),
  },
  'settings-nothing-yet': {
    ...SETTINGS,
    numbers: [],
    recoveryCodesLeft: null,
    devices: null,
    logins: null,
  },
  'settings-empty': {
    ...SETTINGS,
    numbers: null,
    recoveryCodesLeft: null,
    devices: null,
    logins: null,
  },
  'recovery-codes': {
    ...BASE,
    ...INSIDE,
    name: 'recovery-codes',
    codes: null,
    codesLeft: 7,
    form: 'form-1',
  },
  'recovery-codes-shown': {
    ...BASE,
    ...INSIDE,
    name: 'recovery-codes',
    codes: Array.from({ length: 10 }, (_, at) => `${at}KMF-7Q2T-XW9H-PC4N-8JRD-V5BG`),
    codesLeft: 10,
    form: 'form-1',
  },
};

const messagePages: Readonly<Record<string, Page>> = {
  'message-ended': {
    ...BASE,
    name: 'message',
    message: 'ended',
    link: { href: '/login', to: 'login' },
  },
  'message-ended-notice': {
    ...BASE,
    ...error('This login has ended. Please log in again.'),
    name: 'message',
    message: 'ended',
    link: { href: '/login', to: 'login' },
  },
  'message-refused-form': {
    ...BASE,
    name: 'message',
    message: 'refused-form',
    link: { href: 'code', to: 'back' },
  },
  'message-failed': {
    ...BASE,
    name: 'message',
    message: 'failed',
    link: { href: 'code', to: 'back' },
  },
  'message-codes-lost': {
    ...BASE,
    ...INSIDE,
    name: 'message',
    message: 'codes-lost',
    link: { href: 'settings', to: 'settings' },
  },
};

/** Every page in every state, by a name for the test. */
export const PAGES: Readonly<Record<string, Page>> = {
  ...codePages,
  ...factorPages,
  ...stepUpPages,
  ...settingsPages,
  ...messagePages,
};
