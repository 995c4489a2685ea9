import { rootCertificates } from 'node:tls';
import { Agent, ProxyAgent } from 'undici';
import { closeLater } from './cleanup';

/** A dispatcher that goes through a proxy, with plain http in a tunnel as well. */
export function throughProxy(uri: string, options: Partial<ProxyAgent.Options> = {}): ProxyAgent {
  const agent = new ProxyAgent({ ...options, uri, proxyTunnel: true });
  closeLater(() => agent.destroy());
  return agent;
}

/** A dispatcher that trusts these certificates besides the public authorities. */
export function trusting(...certificates: readonly string[]): Agent {
  const agent = new Agent({ connect: { ca: [...rootCertificates, ...certificates] } });
  closeLater(() => agent.destroy());
  return agent;
}
