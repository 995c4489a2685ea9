const COUNTRIES =
  /^createSmsOtp: allowedCountries (is missing; it )?must be 'any' or a list of ISO 3166-1 codes/;
const COUNTRY = /^createSmsOtp: allowedCountries\[0\] must be the ISO 3166-1 code of a country/;

/** What is wrong, the change that makes it so, and what must be said of it. */
export const BAD: [string, object, RegExp][] = [
  [
    'gateway left out',
    { gateway: undefined },
    /gateway is missing; it must be a GatewayClient, its options, or an OtpGateway/,
  ],
  ['a gateway that is a text', { gateway: 'canary value' }, /gateway must be/],
  [
    'getPhone left out',
    { getPhone: undefined },
    /getPhone is missing; it must be a function, unless there is a phoneBook/,
  ],
  ['loadUser left out', { loadUser: undefined }, /loadUser is missing; it must be a function/],
  ['the country list left out', { allowedCountries: undefined }, COUNTRIES],
  ['no country', { allowedCountries: [] }, COUNTRIES],
  ['a country in small letters', { allowedCountries: ['us'] }, COUNTRY],
  ['a country that is a number', { allowedCountries: [1] }, COUNTRY],
  ['a country without a list', { allowedCountries: 'US' }, COUNTRIES],
  [
    'an unknown option',
    { isRequired: () => false },
    /unknown option isRequired, did you mean isRequiredFor\?$/,
  ],
  [
    'an unknown option that every object has',
    { toString: 'canary value' },
    /unknown option toString$/,
  ],
  [
    'an option with a longer name',
    { getPhoneNumber: () => null },
    /unknown option getPhoneNumber, did you mean getPhone\?$/,
  ],
  [
    'an option with a shorter name',
    { allowed: ['US'] },
    /unknown option allowed, did you mean allowedCountries\?$/,
  ],
  ['an option of which hardly anything is there', { all: ['US'] }, /unknown option all$/],
  [
    'an option misspelt',
    { maxAttempt: 3 },
    /unknown option maxAttempt, did you mean maxAttempts\?$/,
  ],
  [
    'a template without [PIN]',
    { messages: { template: 'canary value' } },
    /messages\.template must contain \[PIN\] exactly once/,
  ],
  [
    'a template with two',
    { messages: { template: '[PIN] [PIN]' } },
    /messages\.template must contain \[PIN\] exactly once/,
  ],
  [
    'a template that is too long',
    { messages: { template: `[PIN] ${'a'.repeat(160)}` } },
    /messages\.template is too long/,
  ],
  [
    'a template that is a number',
    { messages: { template: 7 } },
    /messages\.template must be a string or a function/,
  ],
  [
    'a template and a host',
    { messages: { template: '[PIN]', autofillHost: 'bank.example' } },
    /autofillHost/,
  ],
  [
    'a host with a scheme',
    { messages: { autofillHost: 'https://bank.example' } },
    /autofillHost must be a bare host/,
  ],
  ['a name that breaks the last line', { appName: 'Bank @evil.example #1' }, /appName must have/],
  [
    'one secret of two',
    { secret: ['a secret of the tests, long enough', undefined] },
    /secret\[1\] is missing; it must be a string of/,
  ],
  [
    'no secret',
    { secret: undefined },
    /secret is missing; it must be a string of at least 32 random characters: `openssl rand -base64 32` makes one$/,
  ],
  [
    'a secret of one character',
    { secret: 'x'.repeat(40) },
    /secret must be a string of at least 32 random characters: `openssl rand -base64 32` makes one$/,
  ],
  ['no secret in the list', { secret: [] }, /secret must/],
  [
    'a secret too short',
    { secret: 'canary value' },
    /secret must be a string of at least 32 random characters: `openssl rand -base64 32` makes one$/,
  ],
  [
    'a secret that is a number',
    { secret: 7 },
    /secret must be a string of at least 32 random characters: `openssl rand -base64 32` makes one$/,
  ],
  ['a sender of one letter', { messages: { sender: 'x' } }, /sender must be/],
  [
    'a part without its options',
    { trustedDevices: {} },
    /trustedDevices\.getPasswordVersion is missing; it must be a function$/,
  ],
  [
    'options of a part that are a text',
    { recoveryCodes: 'canary value' },
    /recoveryCodes must be an object$/,
  ],
  [
    'countries that are a list',
    { messages: { perCountry: ['canary value'] } },
    /perCountry must be an object$/,
  ],
  [
    'countries that are a Map',
    { messages: { perCountry: new Map() } },
    /perCountry must be an object$/,
  ],
  ['a store without counters', { store: { challenges: {}, tokens: {} } }, /store must be a store/],
  ['a passport that is none', { passport: {} }, /passport must be a Passport instance/],
  ['a policy without a check', { policies: [{ name: 'x', stage: 'send' }] }, /policies\[0\] must/],
  [
    'a policy of a misspelt stage, which would never be asked',
    { policies: [{ name: 'x', stage: 'Send', check: () => 'allow' }] },
    /policies\[0\] must have the stage 'send' or 'enroll'/,
  ],
  [
    'a policy of an unknown mode',
    { policies: [{ name: 'x', stage: 'send', mode: 'record', check: () => 'allow' }] },
    /policies\[0\] must have .* no mode but 'enforce' and 'report'/,
  ],
  ['a clock that is a number', { now: 7 }, /now must be a function/],
  ['a sink that is a text', { onEvent: 'canary value' }, /onEvent must be a function/],
  [
    'a figure that is a text',
    { codeValiditySeconds: '300' },
    /codeValiditySeconds must be a whole number/,
  ],
  ['a figure that is a fraction', { maxSends: 1.5 }, /maxSends must be a whole number/],
  [
    'a figure that is none',
    { pendingLoginSeconds: NaN },
    /pendingLoginSeconds must be a whole number/,
  ],
  [
    'a code that outlives its login',
    { codeValiditySeconds: 500, pendingLoginSeconds: 300 },
    /codeValiditySeconds/,
  ],
  [
    "Passport's key among the kept",
    { keepSessionKeys: ['passport'] },
    /keepSessionKeys must not contain/,
  ],
  [
    'the cookie among the kept',
    { keepSessionKeys: ['cookie'] },
    /keepSessionKeys must not contain/,
  ],
  [
    'our own key among the kept',
    { keepSessionKeys: ['smsOtp'] },
    /keepSessionKeys must not contain/,
  ],
  [
    'our renamed key among the kept',
    { strategyName: 'x', keepSessionKeys: ['smsOtp:x'] },
    /keepSessionKeys must not/,
  ],
  [
    'kept keys that are no list',
    { keepSessionKeys: 'theme' },
    /keepSessionKeys must be a list of names/,
  ],
  ['an empty field', { codeField: '' }, /codeField must not be empty/],
  ['an empty strategy name', { strategyName: '' }, /strategyName must not be empty/],
  ['limits that are off', { limits: null }, /limits/],
  ['an unknown limit', { limits: { perPlanet: {} } }, /unknown option limits\.perPlanet$/],
  [
    'a limit switched off',
    { limits: { perUser: { max: Infinity } } },
    /limits\.perUser\.max must be/,
  ],
  ['a limit of nothing', { limits: { perNumber: { max: 0 } } }, /limits\.perNumber\.max must be/],
  [
    'the window of a limit',
    { limits: { perUser: { perSeconds: 60 } } },
    /unknown option limits\.perUser\.perSeconds$/,
  ],
  [
    'more than 50 failures where known browsers are counted apart',
    { limits: { failures: { disableAfter: 51 } } },
    /limits\.failures\.disableAfter must not exceed 50/,
  ],
];

/** The same for the gateway's options. */
export const BAD_GATEWAYS: [string, object, RegExp][] = [
  [
    'with credentials',
    { baseUrl: 'https://canary-user:canary-password@gateway.example' },
    /baseUrl/,
  ],
  ['with a query', { baseUrl: 'https://gateway.example/?canary-query' }, /baseUrl/],
  ['with a fragment', { baseUrl: 'https://gateway.example/#canary-query' }, /baseUrl/],
  [
    'by plain http to a foreign host',
    { baseUrl: 'http://gateway.example' },
    /baseUrl must be https: http is allowed for this machine only \(localhost, 127\.0\.0\.1 or \[::1\]\)$/,
  ],
  ['by another scheme', { baseUrl: 'ftp://gateway.example' }, /baseUrl/],
  ['that is no URL', { baseUrl: 'canary value' }, /baseUrl/],
  [
    'left out',
    { baseUrl: undefined },
    /^createSmsOtp: gateway\.baseUrl is missing; it must be an http or https URL$/,
  ],
  [
    'without a name',
    { username: undefined },
    /^createSmsOtp: gateway\.username is missing; it must be a string/,
  ],
  [
    'without a password',
    { password: undefined },
    /^createSmsOtp: gateway\.password is missing; it must be a string/,
  ],
  [
    'with a misspelt name',
    { usrname: 'me' },
    /^createSmsOtp: unknown option gateway\.usrname, did you mean username\?$/,
  ],
];

/** Option, what is still good, what is beyond. */
export const CEILINGS: [string, number, number][] = [
  ['maxAttempts', 5, 6],
  ['maxAttempts', 1, 0],
  ['codeValiditySeconds', 600, 601],
  ['codeValiditySeconds', 120, 119],
  ['pendingLoginSeconds', 900, 901],
  ['maxSends', 5, 6],
  ['resendCooldownSeconds', 300, 301],
  ['resendCooldownSeconds', 30, 29],
  ['limits.perUser.max', 10, 11],
  ['limits.perUser.maxPerDay', 30, 31],
  ['limits.perNumber.max', 10, 11],
  ['limits.perAddress.max', 100_000, 100_001],
  ['limits.perAddress.maxUnproven', 100_000, 100_001],
  ['limits.withoutText.max', 100, 101],
  ['limits.withoutText.maxPerAddress', 100_000, 100_001],
  ['limits.enrollments.max', 30, 31],
  ['limits.perPrefix.max', 100_000, 100_001],
  ['limits.perPrefix.maxUnproven', 1_000, 1_001],
  ['limits.failures.max', 10, 11],
  ['limits.failures.disableAfter', 100, 101],
];
