import type { OtpGateway, TextedOtp } from 'passport-sms-otp';

/** Called when the first gateway could not send, before the second one is called. */
export type OnFailover = (error: unknown) => void;

/**
 * Makes one gateway of two. The second one sends only if the first one excludes that its message
 * was sent (`mayHaveArrived: false`), so that no user gets two. Each code is checked by the gateway
 * that sent it.
 */
export function failover(
  first: OtpGateway,
  second: OtpGateway,
  onFailover: OnFailover = () => undefined,
): OtpGateway {
  const gateways = [first, second] as const;
  return {
    // A text of ours can only be promised where both write it.
    writesMessages: gateways.every(({ writesMessages }) => writesMessages !== false),
    async generate(text) {
      try {
        return mark(0, await first.generate(text));
      } catch (error) {
        if (!isNotSent(error)) throw error;
        onFailover(error);
        return mark(1, await second.generate(text));
      }
    },
    async validate({ id, ...typed }) {
      const [, by = '', own = ''] = /^([01]):(.+)$/s.exec(id) ?? [];
      if (by === '') return 'over';
      return gateways[by === '0' ? 0 : 1].validate({ ...typed, id: own });
    },
    async warmUp() {
      await Promise.all(gateways.map(async (gateway) => gateway.warmUp?.()));
    },
    async close() {
      await Promise.all(gateways.map(async (gateway) => gateway.close?.()));
    },
  };
}

function mark(by: 0 | 1, texted: TextedOtp): TextedOtp {
  return { ...texted, id: `${by}:${texted.id}` };
}

function isNotSent(error: unknown): boolean {
  return (Object(error) as { readonly mayHaveArrived?: unknown }).mayHaveArrived === false;
}
