/**
 * The tolerated difference between the clocks of two machines. Marks and known browsers allow for
 * it.
 */
export const CLOCK_TOLERANCE_MS = 30_000;

/** Returns the time of a store in milliseconds since 1970. Null if the store does not report it. */
type AskTime = () => Promise<number | null>;

/**
 * Reads a store's time and warns if it differs from this machine's. A store that does not answer is
 * not checked. A slow answer does not warn, because the time may lie anywhere between request and
 * answer.
 */
export async function checkClock(
  server: string,
  askTime: AskTime,
  onWarning: (message: string, code: string) => void,
): Promise<void> {
  const askedAt = Date.now();
  const time = await askTime().catch(() => null);
  if (time === null || !Number.isFinite(time)) return;

  const isBehind = time < askedAt - CLOCK_TOLERANCE_MS;
  if (!isBehind && time <= Date.now() + CLOCK_TOLERANCE_MS) return;

  const seconds = Math.round(Math.abs(time - askedAt) / 1000);
  onWarning(
    `The clock of ${server} is ${seconds} s ${isBehind ? 'behind' : 'ahead of'} the clock of ` +
      'this machine. More than 30 s make codes expire too early or too late: synchronize both ' +
      'machines (NTP).',
    'SMS_OTP_CLOCK',
  );
}
