import { hkdf } from 'node:crypto';
import { promisify } from 'node:util';
import type { GatewayClient } from '../client/gateway-client';

/** Makes a key of 32 bytes for one purpose; every process with the same options makes the same. */
export type MakeKey = (label: string) => Promise<Buffer>;

const hkdfAsync = promisify<string, string, string, string, number, ArrayBuffer>(hkdf);

/** Where keys come from: the app's own secret, so that the gateway's password may change, else that password. */
export function createKeyMaker(secret: string | undefined, gateway: GatewayClient): MakeKey {
  if (secret === undefined) return (label) => gateway.deriveKey(label);
  return async (label) => Buffer.from(await hkdfAsync('sha256', secret, '', label, 32));
}
