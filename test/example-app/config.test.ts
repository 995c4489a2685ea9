import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '../../example-app/config';

const GATEWAY = {
  SMS_OTP_BASE_URL: 'https://gateway.example',
  SMS_OTP_USERNAME: 'someone',
  SMS_OTP_PASSWORD: 'canary-password',
};

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the configuration of the example app', () => {
  it('needs nothing', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      inboxPort: 3001,
      logLevel: 'warn',
      isProduction: false,
      trustProxy: 0,
      variant: 'A',
      numbersAs: 'string',
      gateway: null,
      phones: { alice: '+12025550123', bob: '+12025550124' },
      allowedCountries: ['US'],
      redisUrl: null,
      workers: 1,
    });
  });

  it('makes the codes itself with GATEWAY=sms, which texts to the inbox page alone', () => {
    expect(readConfig({ GATEWAY: 'sms' })).toMatchObject({ hasSmsGateway: true, gateway: null });
    expect(readConfig({}).hasSmsGateway).toBe(false);
    expect(problemsOf({ ...GATEWAY, GATEWAY: 'sms' })).toEqual([
      'GATEWAY=sms sends to the inbox page of the simulator: put your own sendSms into start.ts',
    ]);
  });

  it('makes another session secret at each start', () => {
    expect(readConfig({}).sessionSecret).toMatch(/^[\da-f]{64}$/);
    expect(readConfig({}).sessionSecret).not.toBe(readConfig({}).sessionSecret);
  });

  it('takes what is given', () => {
    const environment = {
      ...GATEWAY,
      SMS_OTP_VARIANT: 'B',
      SMS_OTP_NUMBERS_AS: 'number',
      PORT: '0',
      TRUST_PROXY: '2',
    };
    expect(readConfig(environment)).toMatchObject({
      port: 0,
      trustProxy: 2,
      variant: 'B',
      numbersAs: 'number',
      gateway: {
        baseUrl: 'https://gateway.example',
        username: 'someone',
        password: 'canary-password',
      },
    });
  });

  it.each([
    ['mobile:string,validity:number', { mobile: 'string', validity: 'number' }],
    ['mobile:number,validity:string', { mobile: 'number', validity: 'string' }],
  ])('takes SMS_OTP_NUMBERS_AS=%s', (SMS_OTP_NUMBERS_AS, numbersAs) => {
    expect(readConfig({ ...GATEWAY, SMS_OTP_NUMBERS_AS })).toMatchObject({ numbersAs });
  });

  it('takes an empty variable for none', () => {
    expect(readConfig({ PORT: '', SMS_OTP_BASE_URL: ' ' })).toMatchObject({
      port: 3000,
      gateway: null,
    });
  });

  it('allows any country once a phone is given, and what is listed before that', () => {
    expect(readConfig({ BOB_PHONE: '+4915123456789' })).toMatchObject({
      phones: { alice: '+12025550123', bob: '+4915123456789' },
      allowedCountries: 'any',
    });
    expect(readConfig({ BOB_PHONE: '+4915123456789', ALLOWED_COUNTRIES: 'DE, US' })).toMatchObject({
      allowedCountries: ['DE', 'US'],
    });
    expect(readConfig({ ALLOWED_COUNTRIES: 'any' })).toMatchObject({ allowedCountries: 'any' });
  });

  it('takes the addresses of proxies', () => {
    expect(readConfig({ TRUST_PROXY: 'loopback, 10.0.0.0/8' }).trustProxy).toEqual([
      'loopback',
      '10.0.0.0/8',
    ]);
  });

  it.each([
    ['GATEWAY', 'twilio'],
    ['PORT', '70000'],
    ['PORT', '3000a'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '1.2.3'],
    ['SMS_OTP_VARIANT', 'C'],
    ['SMS_OTP_NUMBERS_AS', 'bigint'],
    ['SMS_OTP_NUMBERS_AS', 'mobile:string,validity:bigint'],
    ['INBOX_PORT', '65536'],
    ['ALICE_PHONE', '0151'],
    ['ALICE_PHONE', '2025550123'],
    ['BOB_PHONE', '4915123456789'],
    ['BOB_PHONE', 'abc'],
    ['ALLOWED_COUNTRIES', 'usa'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'http://localhost:6379'],
    ['REDIS_URL', 'redis://localhost/sessions'],
    ['WORKERS', '0'],
    ['WORKERS', 'auto'],
  ])('refuses %s=%s and names it', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(`^${name} must be `)]);
  });

  it.each([
    ['REDIS_URL', 'redis://localhost', 'redisUrl'],
    ['REDIS_URL', 'rediss://user:password@redis.example:6380/2', 'redisUrl'],
  ])('takes %s=%s, and with it several workers', (name, address, member) => {
    expect(readConfig({ [name]: address, WORKERS: '64' })).toMatchObject({
      [member]: address,
      workers: 64,
    });
  });

  it('refuses more than 64 workers', () => {
    expect(problemsOf({ WORKERS: '65', REDIS_URL: 'redis://localhost' })).toEqual([
      'WORKERS must be a whole number from 1 to 64',
    ]);
  });

  it('refuses several workers that would count each for itself', () => {
    expect(problemsOf({ WORKERS: '2' })).toEqual([
      'WORKERS above 1 needs REDIS_URL: in memory each process would count on its own',
    ]);
  });

  it.each([
    'ftp://gateway.example',
    'gateway',
    'http://gateway.example',
    'https://u:p@gateway.example',
    'https://g.example/?a',
  ])('refuses the gateway address %s', (address) => {
    const problems = problemsOf({ ...GATEWAY, SMS_OTP_BASE_URL: address });
    expect(problems).toEqual([expect.stringMatching('^SMS_OTP_BASE_URL must be ')]);
  });

  it('lists every problem at once, and no value', () => {
    const problems = problemsOf({
      PORT: 'canary-port',
      SMS_OTP_PASSWORD: 'canary-password',
      ALICE_PHONE: '999-canary',
    });
    expect(problems).toHaveLength(4);
    expect(problems.join('\n')).toContain(
      'SMS_OTP_BASE_URL is required when a gateway is configured',
    );
    expect(problems.join('\n')).not.toContain('canary');
  });

  it('refuses a short secret for recovery codes and devices', () => {
    expect(problemsOf({ SMS_OTP_SECRET: 'canary' })).toEqual([
      'SMS_OTP_SECRET needs at least 32 characters',
    ]);
  });

  it('uses the same demo secret at each start, outside of production', () => {
    expect(readConfig({}).smsOtpSecret.length).toBeGreaterThanOrEqual(32);
    expect(readConfig({}).smsOtpSecret).toBe(readConfig({}).smsOtpSecret);
    const given = 'a secret of the tests, long enough to be one';
    expect(readConfig({ SMS_OTP_SECRET: given }).smsOtpSecret).toBe(given);
  });

  it('requires a gateway and both secrets in production', () => {
    expect(problemsOf({ NODE_ENV: 'production', SESSION_SECRET: 'short' })).toEqual([
      'SMS_OTP_BASE_URL is required in production, where there is no simulator',
      'SMS_OTP_USERNAME is required in production, where there is no simulator',
      'SMS_OTP_PASSWORD is required in production, where there is no simulator',
      'SESSION_SECRET needs at least 32 characters in production',
      'SMS_OTP_SECRET needs at least 32 characters in production',
    ]);
  });
});
