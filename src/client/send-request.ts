import type { Dispatcher, ProxyAgent } from 'undici';
import { AnswerCollector, type AnswerBounds, type RawAnswer } from './answers/answer-collector';
import type { ClientSettings } from './client-settings';
import type { GatewayCall } from './gateway-call';
import { OpenSockets } from './open-sockets';

type SenderSettings = Pick<ClientSettings, 'address' | 'connections' | 'timeouts' | 'ca' | 'proxyUrl'>;
type ConnectOptions = NonNullable<ProxyAgent.Options['requestTls']>;

/** The headers of every request. Nothing compressed is asked for: it could unpack to any size. */
const HEADERS = [
  'accept',
  'application/json',
  'accept-encoding',
  'identity',
  'user-agent',
  'passport-sms-otp',
];

/** OTP spec §4: bodies are JSON with a content type that says so. */
const BODY_HEADERS = [...HEADERS, 'content-type', 'application/json'];

/**
 * Sends requests to one gateway over a pool of kept connections. The only place that opens a connection; undici is
 * loaded at the first request.
 */
export class RequestSender {
  readonly #settings: SenderSettings;
  readonly #sockets = new OpenSockets();
  #loading: Promise<Dispatcher> | null = null;
  #dispatcher: Dispatcher | null = null;

  constructor(settings: SenderSettings) {
    this.#settings = settings;
  }

  /** Loads undici and makes the pool; opens no connection. */
  load(): Promise<Dispatcher> {
    return (this.#loading ??= this.#makeDispatcher());
  }

  /**
   * Sends a request once and waits for its answer.
   * @param authorization Value of the Authorization header; null for the authentication itself. OTP spec §5.
   * @throws {GatewayUnreachableError} ERR_GATEWAY_UNREACHABLE
   * @throws {GatewayTimeoutError} ERR_GATEWAY_TIMEOUT
   * @throws {GatewayResponseError} ERR_GATEWAY_RESPONSE: redirect, other content type, encoded, too large, half.
   */
  async send(
    call: GatewayCall<unknown>,
    authorization: string | null,
    bounds: AnswerBounds,
  ): Promise<RawAnswer> {
    const dispatcher = this.#dispatcher ?? (await this.load());
    return new Promise((resolve, reject) => {
      dispatcher.dispatch(this.#toOptions(call, authorization), new AnswerCollector(bounds, resolve, reject));
    });
  }

  /** Ends every request and connection. */
  async destroy(): Promise<void> {
    await (await this.#loading)?.destroy();
    this.#sockets.destroy();
  }

  #toOptions(
    { method, path, body }: GatewayCall<unknown>,
    authorization: string | null,
  ): Dispatcher.DispatchOptions {
    const { origin, pathPrefix } = this.#settings.address;
    const headers = body === null ? HEADERS : BODY_HEADERS;
    return {
      origin,
      path: pathPrefix + path,
      method,
      body,
      headers: authorization === null ? headers : ['authorization', authorization, ...headers],
      // The collector's one timer bounds all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }

  async #makeDispatcher(): Promise<Dispatcher> {
    const { Pool, ProxyAgent, buildConnector } = await import('undici');
    const { address, connections, proxyUrl } = this.#settings;
    const options = await this.#toConnectOptions();
    const connect = this.#sockets.watch(buildConnector(options));
    const pool = { connections, pipelining: 1, allowH2: false };
    this.#dispatcher =
      proxyUrl === undefined
        ? new Pool(address.origin, { ...pool, connect })
        : new ProxyAgent({
            ...pool,
            uri: proxyUrl,
            requestTls: options,
            clientFactory: (origin) => new Pool(origin, { connect }),
          });
    return this.#dispatcher;
  }

  /** What a socket is opened with. No option and no environment variable switches the verification off. */
  async #toConnectOptions(): Promise<ConnectOptions> {
    const { ca, timeouts } = this.#settings;
    const options = { timeout: timeouts.connectMs, rejectUnauthorized: true, allowH2: false };
    const authorities = Array.isArray(ca) ? ca : [ca];
    if (authorities.length === 0) return options;
    const { createSecureContext, rootCertificates } = await import('node:tls');
    return { ...options, secureContext: createSecureContext({ ca: [...rootCertificates, ...authorities] }) };
  }
}
