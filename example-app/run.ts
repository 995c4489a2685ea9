import type { Config } from './config';
import { openGateway } from './gateway';
import { serve } from './serve';
import { startWorkers } from './workers';

/** A running app, and how to stop it. */
export interface RunningSite {
  readonly address: string;
  /** Where the text messages can be read; null with a real gateway. */
  readonly inboxUrl: string | null;
  close(): Promise<void>;
}

/**
 * Starts the simulator, unless a gateway is configured, and then the app, here or in workers.
 * @throws {ConfigError} when the port is taken, or a store cannot be used.
 */
export async function run(config: Config): Promise<RunningSite> {
  const { gateway, closeGateway } = await openGateway(config);
  try {
    const serving = await (config.workers === 1 ? serve : startWorkers)(config, gateway);
    return {
      address: `http://localhost:${serving.port}`,
      inboxUrl: gateway.inboxUrl,
      close: () => serving.close().finally(closeGateway),
    };
  } catch (error) {
    await closeGateway();
    throw error;
  }
}
