import { GatewayClient } from 'passport-sms-otp/client';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { createStage, share } from '../../support/stage';
import type { Gateway } from './base-app';

/**
 * One simulator and one client of it for all apps of a block. Variant B says of a refused code whether
 * it was wrong, used or expired.
 */
export function useGateway(): Gateway {
  return share(
    createStage(async () => {
      const simulator = await GatewaySimulator.start({ variant: 'B' });
      const { baseUrl, variant, username, password } = simulator;
      const client = new GatewayClient({ baseUrl, variant, username, password });
      return {
        simulator,
        client,
        close: async () => {
          await client.close();
          await simulator.close();
        },
      };
    }),
  );
}
