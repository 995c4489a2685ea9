import { describe, expect, it } from '@jest/globals';
import { measureMessages, type SmsOtpOptions } from 'passport-sms-otp';

const OPTIONS: SmsOtpOptions = {
  gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
  allowedCountries: ['FR'],
  getPhone: () => null,
  secret: 'a secret of the tests, long enough to be one',
  loadUser: () => null,
};

describe('measureMessages', () => {
  it('measureMessages takes the options of createSmsOtp and names the character that forces UCS-2', () => {
    const report = measureMessages({ ...OPTIONS, appName: 'Crédit' });
    expect(
      report.find(({ locale, purpose }) => locale === 'en' && purpose === 'login'),
    ).toMatchObject({
      encoding: 'GSM-7',
      forcedBy: null,
    });
    const forced = measureMessages({ ...OPTIONS, appName: 'Škoda' });
    expect(
      forced.find(({ locale, purpose }) => locale === 'en' && purpose === 'login'),
    ).toMatchObject({
      encoding: 'UCS-2',
      limit: 70,
      forcedBy: "'Š' (U+0160)",
    });
  });

  it('measureMessages refuses the options that createSmsOtp refuses', () => {
    expect(() => measureMessages({ ...OPTIONS, maxAttempts: 6 })).toThrow(/maxAttempts/);
  });
});
