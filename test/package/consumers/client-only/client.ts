/**
 * An app that only uses the client of the gateway: no Express, no sessions, no Passport and none of
 * their types.
 */
import {
  GatewayClient,
  GatewayRejectedError,
  type Generated,
  type Lookup,
} from 'passport-sms-otp/client';

const client = new GatewayClient({
  baseUrl: process.env.SMS_OTP_BASE_URL,
  variant: 'A',
  username: process.env.SMS_OTP_USERNAME,
  password: process.env.SMS_OTP_PASSWORD,
  onEvent: (event) => console.log(event.type),
});

export async function isRight(mobile: string, pin: string): Promise<boolean> {
  const sent: Generated = await client.otp.generate({ mobile });
  const { status }: Lookup = await client.hlr.lookup(mobile);
  try {
    await client.otp.validate({ id: sent.id, mobile, pin });
    return status !== null;
  } catch (error) {
    if (error instanceof GatewayRejectedError) return false;
    throw error;
  }
}
