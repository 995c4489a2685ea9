/** An app whose ids are numbers, as `Express.User` says. */
import { createSmsOtp } from 'passport-sms-otp';

declare global {
  namespace Express {
    interface User {
      id: number;
      phone: string | null;
    }
  }
}

declare const users: {
  findById(id: number): Promise<Express.User | undefined>;
  endAll(id: number): Promise<void>;
};

export const smsOtp = createSmsOtp({
  gateway: {
    baseUrl: 'https://gateway.example',
    variant: 'B',
    username: 'me',
    password: process.env.PASSWORD,
  },
  secret: process.env.SECRET,
  allowedCountries: ['US'],
  getPhone: ({ phone }) => phone,
  loadUser: (id) => users.findById(id),
  endOtherSessions: (id) => users.endAll(id),
});
