import { describe, expect, it } from '@jest/globals';
import { GatewayClient, type GatewayClientOptions } from 'passport-sms-otp/client';

const SECRET = 'canary-secret';
const right = {
  baseUrl: 'https://gateway.example',
  variant: 'A',
  username: 'user',
  password: SECRET,
} as const;

/** Makes a client with options that may be of any kind. */
function make(options: Record<string, unknown>): GatewayClient {
  // What is tried here is what a caller without types may hand in.
  return new GatewayClient(options as unknown as GatewayClientOptions);
}

function messageOf(options: Record<string, unknown>): string {
  try {
    make(options);
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('an option that is wrong is a TypeError that names it and shows no value', () => {
  it.each([
    [
      'baseUrl',
      [
        undefined,
        7,
        '',
        'gateway.example',
        'ftp://gateway.example',
        `https://u:${SECRET}@gateway.example`,
      ],
    ],
    [
      'baseUrl',
      [
        `https://gateway.example?key=${SECRET}`,
        `https://gateway.example#${SECRET}`,
        'https://g.example?',
      ],
    ],
    [
      'baseUrl',
      [`http://${SECRET}.example`, 'http://10.0.0.1', 'http://128.0.0.1', 'http://[::2]'],
    ],
    ['baseUrl', ['http://127.0.0.1.example', 'http://localhost.example', 'http://0.0.0.0']],
    ['variant', [undefined, 'C', 'a', 1]],
    ['username', [undefined, '', 7]],
    ['password', [undefined, '', { secret: SECRET }]],
    ['numbersAs', ['text', 7]],
    ['maxCodeDigits', [3, 11, 6.5, '6']],
    ['tokenValiditySeconds', [59, 86_401, '1800']],
    ['preserveToken', ['yes', 1]],
    ['timeoutMs', [0, 60_001, 1.5, '1000', null]],
    ['connections', [0, 1_001, 1.5]],
    ['queueLimit', [-1, 20_001]],
    ['dispatcher', [SECRET, 7, {}, { dispatcher: SECRET }]],
    ['keepsDetail', ['true', 1]],
    ['tokenStore', [{}, SECRET, { read: () => null }]],
    ['acceptMissingPayload', ['true']],
    ['onEvent', [{}]],
    ['now', [7]],
  ])('%s', (name, values: unknown[]) => {
    for (const value of values) {
      const message = messageOf({ ...right, [name]: value });
      expect(message).toMatch(new RegExp(`^GatewayClient: ${name} `));
      expect(message).not.toContain(SECRET);
    }
  });

  it.each([1, 60_000])('timeoutMs may be %i', (timeoutMs) => {
    expect(() => make({ ...right, timeoutMs })).not.toThrow();
  });
});

it('an unknown option is an error', () => {
  expect(messageOf({ ...right, rejectUnauthorized: false })).toBe(
    'GatewayClient: unknown option rejectUnauthorized',
  );
  expect(messageOf({ ...right, timeoutsMs: 1 })).toBe(
    'GatewayClient: unknown option timeoutsMs, did you mean timeoutMs?',
  );
});

it.each([undefined, null, 'https://gateway.example'])(
  'options that are %p are an error',
  (options) => {
    expect(() => new GatewayClient(options as unknown as GatewayClientOptions)).toThrow(TypeError);
  },
);

it.each(['tokenValiditySeconds', 'preserveToken'])('%s exists in variant A only', (name) => {
  const value = name === 'preserveToken' ? true : 1800;
  expect(messageOf({ ...right, variant: 'B', [name]: value })).toBe(
    `GatewayClient: ${name} exists in variant A only`,
  );
});

it.each([
  'https://gateway.example',
  'https://gateway.example:8443/tenant/',
  'http://localhost:3000',
  'http://127.0.0.1',
  'http://127.255.0.9:80',
  'http://[::1]:3000',
])('%s is a base URL', (baseUrl) => {
  expect(() => make({ ...right, baseUrl })).not.toThrow();
});

it('an option that is undefined counts as left out', () => {
  const names = [
    'numbersAs',
    'timeoutMs',
    'connections',
    'dispatcher',
    'keepsDetail',
    'tokenStore',
    'onEvent',
    'now',
  ];
  expect(() =>
    make({ ...right, ...Object.fromEntries(names.map((name) => [name, undefined])) }),
  ).not.toThrow();
});
