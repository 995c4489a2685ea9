import { Counter, Histogram, type Registry } from 'prom-client';
import type { SmsOtpEvent } from 'passport-sms-otp';

/**
 * Returns a function for the option `onEvent`. Neither label can grow without end: no user, number
 * or address.
 */
export function countEvents(register: Registry): (event: SmsOtpEvent) => void {
  const registers = [register];
  const labelNames = ['type', 'detail'] as const;
  const events = new Counter({
    name: 'sms_otp_events_total',
    help: 'Events of the second factor',
    labelNames,
    registers,
  });
  const calls = new Histogram({
    name: 'sms_otp_gateway_seconds',
    help: 'Calls to the gateway',
    labelNames,
    registers,
  });
  return (event) => {
    if (event.type === 'store-call' || event.type === 'policy-decided') return;
    const detail =
      'reason' in event
        ? event.reason
        : 'method' in event
          ? event.method
          : 'outcome' in event
            ? event.outcome
            : '';
    events.inc({ type: event.type, detail });
    if (event.type === 'gateway-call')
      calls.observe({ type: event.call, detail }, event.durationMs / 1000);
  };
}
