import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OtpCall } from 'passport-sms-otp';
import type { GatewayFailure, ReceivedText } from 'passport-sms-otp/testing';

/** What a fake answers. */
export interface FakeAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as a fake reads it. */
export interface FakeRequest {
  readonly path: string;
  readonly authorization: string;
  readonly contentType: string;
  readonly body: string;
}

/** What is different between providers. */
export interface FakeInterface {
  /** Which call a path is; null: none. */
  readonly callOf: (path: string) => OtpCall | null;
  readonly answer: (request: FakeRequest) => FakeAnswer;
  /** How it refuses a call for which it has done nothing. */
  readonly refused: FakeAnswer;
}

/** A provider on a loopback port, which can answer late, wrongly and not at all. */
export class FakeProvider {
  readonly requests: FakeRequest[] = [];
  readonly texts = new Map<string, ReceivedText[]>();
  nowSeconds = 0;
  /** In place of the next answer; nothing is done. */
  answerNext: FakeAnswer | undefined;
  #failures: { readonly call: OtpCall; readonly failure: GatewayFailure }[] = [];
  readonly #server = createServer((req, res) => void this.#serve(req, res));

  constructor(private readonly own: FakeInterface) {}

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  failNext(call: OtpCall, failure: GatewayFailure): void {
    this.#failures.push({ call, failure });
  }

  /** Texts a code, the same one again where it is given. */
  text(mobile: string, pin = String(randomInt(1_000_000)).padStart(6, '0')): string {
    this.texts.set(mobile, [...(this.texts.get(mobile) ?? []), { pin }]);
    return pin;
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    const { authorization = '', 'content-type': contentType = '' } = req.headers;
    const request = { path: req.url ?? '', authorization, contentType, body };
    this.requests.push(request);
    const { answerNext } = this;
    this.answerNext = undefined;
    if (answerNext !== undefined) return send(res, answerNext);
    const failure = this.#takeFailure(this.own.callOf(request.path));
    if (failure === 'refused') return send(res, this.own.refused);
    if (failure === 'lost-before') return void req.socket.destroy();
    const answer = this.own.answer(request);
    if (failure === 'lost-after') return void req.socket.destroy();
    if (failure === 'other-shape') return send(res, { status: answer.status, body: {} });
    if (failure === 'nonsense') return void res.writeHead(200).end('<html>it works</html>');
    if (failure !== 'silent') send(res, answer);
  }

  #takeFailure(call: OtpCall | null): GatewayFailure | undefined {
    const index = this.#failures.findIndex((one) => one.call === call);
    return index < 0 ? undefined : this.#failures.splice(index, 1)[0]?.failure;
  }
}

function send(res: ServerResponse, { status, body, headers }: FakeAnswer): void {
  res
    .writeHead(status, { 'Content-Type': 'application/json', ...headers })
    .end(JSON.stringify(body));
}
