import type { GatewayClient } from '../client/gateway-client';
import { expandKey } from '../client/tokens/expand-key';

/** Makes a key of 32 bytes for one purpose; every process with the same options makes the same. */
export type MakeKey = (label: string) => Promise<Buffer>;

/** Where keys come from: the app's own secret, so that the gateway's password may change, else that password. */
export function createKeyMaker(secret: string | undefined, gateway: GatewayClient): MakeKey {
  return (label) => (secret === undefined ? gateway.deriveKey(label) : expandKey(secret, label));
}
