import type { OtpGateway, TextedOtp } from 'passport-sms-otp';

/** Called when the first gateway could not text, and the second one is asked. */
export type OnFailover = (error: unknown) => void;

/**
 * Two gateways as one. The second one is asked for a text when the first one says that surely none
 * went out (`mayHaveArrived: false`), and never otherwise: nobody gets two texts. A code is judged
 * by the gateway that has texted it.
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
