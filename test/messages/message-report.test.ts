import { describe, expect, it } from '@jest/globals';
import { messageReport, type SmsOtpOptions } from 'passport-sms-otp';

const OPTIONS: SmsOtpOptions = {
  gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
  allowedCountries: ['FR'],
  getPhone: () => null,
  loadUser: () => null,
};

describe('messageReport', () => {
  it('takes the options of createSmsOtp, and names the character that makes a message long', () => {
    const report = messageReport({ ...OPTIONS, appName: 'Crédit' });
    expect(report.find(({ locale, purpose }) => locale === 'en' && purpose === 'login')).toMatchObject({
      encoding: 'GSM-7',
      forcedBy: null,
    });
    const forced = messageReport({ ...OPTIONS, appName: 'Škoda' });
    expect(forced.find(({ locale, purpose }) => locale === 'en' && purpose === 'login')).toMatchObject({
      encoding: 'UCS-2',
      limit: 70,
      forcedBy: "'Š' (U+0160)",
    });
  });

  it('refuses the options that createSmsOtp refuses', () => {
    expect(() => messageReport({ ...OPTIONS, maxAttempts: 6 })).toThrow(/maxAttempts/);
  });
});
