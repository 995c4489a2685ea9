/**
 * An app that only uses the client of the gateway: no Express, no sessions, no Passport and none of
 * their types.
 */
import {
  type CallOptions,
  GatewayAbortedError,
  GatewayClient,
  GatewayRejectedError,
  type Generated,
  type Lookup,
  type PinVerdict,
} from 'passport-sms-otp/client';

const client = new GatewayClient({
  baseUrl: process.env.SMS_OTP_BASE_URL,
  variant: 'A',
  username: process.env.SMS_OTP_USERNAME,
  password: process.env.SMS_OTP_PASSWORD,
  onEvent: (event) => console.log(event.type),
});

export async function checkNumber(
  mobile: string,
  pin: string,
  signal: AbortSignal,
): Promise<PinVerdict | 'away'> {
  const options: CallOptions = { signal, timeoutMs: 4_000 };
  await using mine = client;
  const sent: Generated = await mine.otp.generate({ mobile }, options);
  const { status }: Lookup = await mine.hlr.lookup(mobile, options);
  if (status !== 'valid') return 'over';

  try {
    return await mine.otp.check({ id: sent.id, mobile, pin }, options);
  } catch (error) {
    if (error instanceof GatewayRejectedError)
      console.log(error.detail?.headers, error.gatewayCode);
    if (error instanceof GatewayAbortedError && error.mayHaveArrived) console.log('sent');
    return 'away';
  }
}

// What a login passes beside these is not for callers.
// @ts-expect-error: a permit is no option of a call
export const withPermit = () => client.otp.generate({ mobile: '1' }, { release: () => undefined });
