/** Where the gateway is. */
export interface GatewayAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Host and port. */
  readonly host: string;
  /** What stands before every path of the documents; no slash at its end. */
  readonly pathPrefix: string;
  readonly isSecure: boolean;
}

/** Takes a base URL apart, or says what is wrong with it, in words that follow the option's name and show no value. */
export function readBaseUrl(baseUrl: string): GatewayAddress | { readonly problem: string } {
  const url = parseUrl(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) return { problem: 'must be an http or https URL' };
  if (hasCredentials(url)) return { problem: 'must not contain credentials' };
  if (/[?#]/.test(baseUrl)) return { problem: 'must not contain a query or a fragment' };
  const isSecure = url.protocol === 'https:';
  if (!isSecure && !isLoopback(url.hostname)) return { problem: 'must be https unless its host is loopback' };
  return { origin: url.origin, host: url.host, pathPrefix: url.pathname.replace(/\/+$/, ''), isSecure };
}

/** What is wrong with the URL of a proxy, or null. */
export function findProxyProblem(proxyUrl: string, gateway: GatewayAddress): string | null {
  const url = parseUrl(proxyUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL';
  // The proxy would read the credentials on their way.
  if (!gateway.isSecure && !isLoopback(url.hostname)) return 'must be loopback unless baseUrl is https';
  return null;
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** Looks at the host as the URL parser wrote it: 127.1 and 0x7f000001 have become 127.0.0.1 by then. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
