import { type Answer, isPage, leadsAway, readHiddenFields, readJson, readPath } from './answer';
import { type Cookie, CookieJar, type Origin } from './cookies';
import type { AppRequest, AppUser, Fields, GuardedPage, TokenPlace } from './description';
import type { Scene } from './scene';

/** A body with its content type. */
export interface Body {
  readonly type: string;
  readonly text: string;
}

/** Optional settings of a request. */
export interface Extras {
  /** The words in brackets in the report. */
  readonly label?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the request comes from. Default: the app's own pages. */
  readonly origin?: Origin;
  /** Makes a body instead of the fields, with the hidden fields of the form. */
  readonly makeBody?: (hidden: Fields) => Body;
  /** Appended to the path of the request that takes the fields. */
  readonly query?: string;
  /** True for a request that the report leaves out. */
  readonly isPreparation?: boolean;
}

const PREPARATION: Extras = { isPreparation: true };
const FORM = 'application/x-www-form-urlencoded';
const OTHER_SITE = 'https://other-site.example';

export function toForm(fields: Fields): Body {
  return { type: FORM, text: new URLSearchParams(fields).toString() };
}

export function toJson(value: unknown): Body {
  return { type: 'application/json', text: JSON.stringify(value) };
}

/** A browser: it keeps cookies, sends forms with their hidden fields, and follows no redirect. */
export class Browser {
  #jar = new CookieJar();
  #token: { readonly header: string; readonly value: string } | null = null;
  /** The user whose password was entered last. */
  #user: AppUser | null = null;
  /** Where answers contain a token. */
  tokenPlace: TokenPlace | undefined;

  readonly #name: string;

  /** @param address The client's address, if the app reads it from its proxies. */
  constructor(
    private readonly scene: Scene,
    private readonly address = '198.51.100.7',
  ) {
    this.#name = scene.nameBrowser();
    this.tokenPlace = scene.app.token;
  }

  get cookies(): readonly Cookie[] {
    return this.#jar.all;
  }

  /** Returns another browser with the present cookies of this one. */
  copy(): Browser {
    const copy = new Browser(this.scene, this.address);
    copy.#jar = this.#jar.copy();
    copy.#token = this.#token;
    copy.#user = this.#user;
    copy.tokenPlace = this.tokenPlace;
    return copy;
  }

  /** Returns the cookie of the session. Undefined if there is none. */
  get session(): Cookie | undefined {
    const { sessionCookie } = this.scene.app;
    if (sessionCookie !== undefined) return this.#jar.find(sessionCookie);
    // express-session begins the value with "s:".
    return this.cookies.find(({ value }) => /^s(:|%3A)/i.test(value));
  }

  /** Ends the session in this browser, as closing it does. Other cookies stay. */
  dropSession(): void {
    const { session } = this;
    if (session !== undefined) this.#jar.delete(session.name);
    this.#token = null;
  }

  async get(path: string, extras: Extras = {}): Promise<Answer> {
    return this.#send('GET', path, extras);
  }

  /** Makes a request as the app's own page would. */
  async submit(asked: AppRequest, fields: Fields, extras: Extras = {}): Promise<Answer> {
    const { method = 'POST' } = asked;
    const path = this.scene.pathOf(asked, this.#user);
    const answer = ['GET', 'HEAD'].includes(method)
      ? await this.#send(method, toAddress(path, fields, extras), extras)
      : await this.#submitBody({ ...asked, method, path }, fields, extras);
    this.#keepToken(answer);
    return answer;
  }

  async #submitBody(
    asked: Pick<AppRequest, 'page'> & { readonly method: string; readonly path: string },
    fields: Fields,
    extras: Extras,
  ): Promise<Answer> {
    const { app } = this.scene;
    const hidden = await this.#readHidden(asked);
    const all = { ...hidden, ...fields };
    const body = extras.makeBody?.(hidden) ?? (app.jsonForms === true ? toJson(all) : toForm(all));
    const headers = { ...(await this.#csrfHeader()), ...extras.headers };
    const path = addQuery(asked.path, extras.query ?? '');
    return this.#send(asked.method, path, { ...extras, headers }, body);
  }

  async submitFor(asked: AppRequest, user: AppUser, label: string): Promise<Answer> {
    const path = this.scene.pathOf(asked, user);
    const fields = await fieldsFor(asked, user);
    return this.submit({ ...asked, path }, fields, {
      label: `${label} of ${this.scene.labelOf(user)}`,
    });
  }

  /**
   * Returns the hidden fields of the form that makes a request. If its page shows none, because it
   * is closed, returns those of another form: the token of one form is usually valid for all.
   */
  async #readHidden({
    path,
    page,
  }: Pick<AppRequest, 'page'> & { readonly path: string }): Promise<Fields> {
    const { app } = this.scene;
    if (app.jsonForms === true && page === undefined) return {};
    const own = await this.#readForm(page ?? path, path);
    if (own !== undefined || !this.scene.hasHiddenFields) return own ?? {};
    for (const other of [app.code, app.login]) {
      const fields = await this.#readForm(other.page ?? other.path, null);
      if (fields !== undefined) return fields;
    }
    return {};
  }

  /** @param path The address that the form posts to. Null: any form with hidden fields. */
  async #readForm(from: string, path: string | null): Promise<Fields | undefined> {
    const answer = await this.get(from, PREPARATION);
    const there = readPath(answer.location, this.scene.origin);
    // Follow a redirect, as to a page in another language: the form is there.
    const shown = there === null ? answer : await this.get(there, PREPARATION);
    if (!isPage(shown)) return undefined;
    const fields = readHiddenFields({ body: shown.body, path: there ?? from }, path);
    if (Object.keys(fields ?? {}).length > 0) this.scene.hasHiddenFields = true;
    return fields;
  }

  async #csrfHeader(): Promise<Record<string, string>> {
    const { csrf } = this.scene.app;
    if (csrf === undefined) return {};
    if (csrf.cookie !== undefined) {
      const value = this.#jar.find(csrf.cookie)?.value;
      return value === undefined ? {} : { [csrf.header]: decodeURIComponent(value) };
    }
    const answer = await this.get(csrf.path ?? '/', PREPARATION);
    const read = readJson(answer) as Readonly<Record<string, unknown>> | undefined;
    const token = read?.[csrf.field ?? 'token'];
    return typeof token === 'string' ? { [csrf.header]: token } : {};
  }

  /** Sends the right password of a user. */
  async givePassword(user: AppUser, more: Fields = {}, extras: Extras = {}): Promise<Answer> {
    const { login } = this.scene.app;
    this.#user = user;
    this.scene.desk.noteBegun(user);
    return this.giveAsPassword(user, login.password(user), more, {
      label: `password of ${this.scene.labelOf(user)}`,
      ...extras,
    });
  }

  /** Sends a string as the password of a user. */
  async giveAsPassword(
    { name }: AppUser,
    password: string,
    more: Fields = {},
    extras: Extras = {},
  ): Promise<Answer> {
    const { fields = {}, ...login } = this.scene.app.login;
    const { username = 'username', password: field = 'password' } = fields;
    return this.submit(login, { ...more, [username]: name, [field]: password }, extras);
  }

  /** Sends a string as the code. */
  async giveCode(code: string, label: string, more: Fields = {}): Promise<Answer> {
    const { field = 'pin', ...asked } = this.scene.app.code;
    return this.submit(asked, { ...more, [field]: code }, { label });
  }

  /** Keeps the token of an answer. Any answer may have one, also that to the password. */
  #keepToken(answer: Answer): void {
    const { tokenPlace } = this;
    if (tokenPlace === undefined || answer.status >= 300) return;
    const read = readJson(answer) as Readonly<Record<string, unknown>> | null | undefined;
    const value = read?.[tokenPlace.field];
    if (typeof value !== 'string' || value === '') return;
    this.#token =
      tokenPlace.header === undefined
        ? { header: 'Authorization', value: `Bearer ${value}` }
        : { header: tokenPlace.header, value };
  }

  /**
   * Sends the right password and returns the code that was sent. Ends the check if there is none.
   */
  async startLogin(user: AppUser, more: Fields = {}): Promise<string> {
    const texts = this.scene.watchTexts(user.phone);
    await this.givePassword(user, more);
    const code = texts().at(-1)?.pin;
    if (code !== undefined) return code;
    return this.scene.giveUp(
      `no message went out to ${this.scene.labelOf(user)} after the right password`,
    );
  }

  /** Sends password and code. Ends the check if a guarded page stays closed. */
  async logIn(user: AppUser, more: Fields = {}): Promise<void> {
    const code = await this.startLogin(user, more);
    await this.finishLogin(code, more);
  }

  /** Sends the right code. Ends the check if a guarded page stays closed. */
  async finishLogin(code: string, more: Fields = {}): Promise<void> {
    const closed = await this.tryToFinish(code, more);
    if (closed !== undefined)
      this.scene.giveUp(`${this.scene.nameOf(closed)} stays closed after the right code`);
  }

  /**
   * Sends the right code, so that its user need not wait in the next check. Returns the first
   * guarded page that stays closed.
   */
  async tryToFinish(code: string, more: Fields = {}): Promise<GuardedPage | undefined> {
    await this.giveCode(code, 'right code', more);
    const closed = await this.findClosed();
    if (closed === undefined && this.#user !== null) this.scene.desk.noteFinished(this.#user);
    return closed;
  }

  /** Begins a step-up and returns its code. Ends the check if none was sent. */
  async startStepUp(user: AppUser): Promise<string> {
    const { stepUp } = this.scene.app;
    const texts = this.scene.watchTexts(user.phone);
    this.scene.desk.noteBegun(user);
    if (stepUp !== undefined) await this.submitFor(stepUp, user, 'step-up');
    return texts().at(-1)?.pin ?? this.scene.giveUp('the step-up has sent no code');
  }

  async finishStepUp(user: AppUser, code: string): Promise<void> {
    const { stepUp, code: codeOfLogin } = this.scene.app;
    const { field = 'pin', ...asked } = codeOfLogin;
    await this.submit(stepUp?.code ?? asked, { [field]: code }, { label: 'right code' });
    if ((await this.findClosed()) !== undefined)
      this.scene.giveUp('the step-up closed a guarded page');
    this.scene.desk.noteFinished(user);
  }

  /** Returns whether an answer to the request for a guarded page opens that page. */
  isOpen(page: GuardedPage, answer: Answer): boolean {
    return this.scene.refusals.isOpen(page, answer, this.scene.origin);
  }

  /** Requests a guarded page. */
  async visit(page: GuardedPage, extras: Extras = {}): Promise<Answer> {
    const { method = 'GET', shows: _shows, ...asked } = page;
    const [first] = this.scene.app.users;
    const user = this.#user ?? first;
    const fields = user === undefined ? {} : await fieldsFor(page, user);
    return this.submit({ ...asked, method }, fields, extras);
  }

  /**
   * Returns the guarded pages that are open to this browser. With `shows`, only those that show
   * that string.
   */
  async findAllOpen({ shows, ...extras }: Extras & Pick<GuardedPage, 'shows'> = {}): Promise<
    readonly GuardedPage[]
  > {
    const open: GuardedPage[] = [];
    for (const page of this.scene.guarded) {
      const answer = await this.visit(page, extras);
      if (this.isOpen(page, answer) && (shows === undefined || answer.body.includes(shows)))
        open.push(page);
    }
    return open;
  }

  /** Returns the first guarded page that is open to this browser. */
  async findOpen(extras: Extras = {}): Promise<GuardedPage | undefined> {
    const [first] = await this.findAllOpen(extras);
    return first;
  }

  /** Returns the first guarded page that is refused to this browser. */
  async findClosed(): Promise<GuardedPage | undefined> {
    const { guarded, refusals, origin } = this.scene;
    for (const page of guarded)
      if (refusals.isRefused(page, await this.visit(page), origin)) return page;
    return undefined;
  }

  /** Sends a request as a page of another site would, with the cookies that browsers then send. */
  async submitFromElsewhere(path: string, body: Body): Promise<Answer> {
    const extras: Extras = {
      origin: 'cross-site-form',
      label: `form of another site, ${body.type}`,
      headers: { Origin: OTHER_SITE, Referer: `${OTHER_SITE}/` },
    };
    return this.#send('POST', path, extras, body);
  }

  async #send(method: string, path: string, extras: Extras, body?: Body): Promise<Answer> {
    const { transport, done, answers } = this.scene;
    const answer = await transport.send({
      method,
      path,
      headers: { ...this.#headers(method, extras), ...(body && { 'Content-Type': body.type }) },
      body: body?.text ?? '',
    });
    this.#jar.keep(answer.headers['set-cookie'] ?? []);
    answers.push(answer);
    // Leave out the search for a token, which is no step of an attack.
    if (extras.isPreparation !== true)
      done.push(
        `${this.#name}: ${this.#describe(method, path, extras)} -> ${this.#outcome(answer)}`,
      );
    return answer;
  }

  /** Sends a HEAD request. The answer has no body. */
  async head(path: string): Promise<Answer> {
    return this.#send('HEAD', path, {});
  }

  #headers(method: string, { headers, origin = 'same-site' }: Extras): Record<string, string> {
    const { app } = this.scene;
    const cookie = this.#jar.header(origin);
    return {
      Accept: app.jsonForms === true ? 'application/json' : 'text/html,*/*;q=0.8',
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
      ...this.#fetchMetadata(method, origin),
      ...this.#proxyHeaders(),
      ...(cookie !== '' && { Cookie: cookie }),
      ...(this.#token !== null && { [this.#token.header]: this.#token.value }),
      ...headers,
    };
  }

  #fetchMetadata(method: string, origin: Origin): Record<string, string> {
    const isOwn = origin === 'same-site';
    const isScript = this.scene.app.jsonForms === true && isOwn;
    return {
      'Sec-Fetch-Site': isOwn ? 'same-origin' : 'cross-site',
      'Sec-Fetch-Mode': isScript ? 'cors' : 'navigate',
      'Sec-Fetch-Dest': isScript ? 'empty' : 'document',
      ...(!['GET', 'HEAD'].includes(method) && isOwn && { Origin: this.#siteOrigin }),
    };
  }

  get #siteOrigin(): string {
    const { app, origin } = this.scene;
    return app.proxy?.https === true ? origin.replace(/^http:/, 'https:') : origin;
  }

  /** Returns the headers that the proxies in front of the app add. */
  #proxyHeaders(): Record<string, string> {
    const { proxy } = this.scene.app;
    if (proxy === undefined) return {};
    const inner = Array.from({ length: (proxy.hops ?? 1) - 1 }, (_, hop) => `10.0.0.${hop + 1}`);
    return {
      'X-Forwarded-For': [this.address, ...inner].join(', '),
      'X-Forwarded-Proto': proxy.https === true ? 'https' : 'http',
    };
  }

  #outcome(answer: Answer): string {
    const { origin } = this.scene;
    if (answer.location === null) return String(answer.status);
    if (leadsAway(answer, origin)) return `${answer.status} to another site`;
    return `${answer.status} to ${this.scene.show(readPath(answer.location, origin) ?? 'nowhere')}`;
  }

  #describe(method: string, path: string, { label }: Extras): string {
    return `${method} ${this.scene.show(path)}${label === undefined ? '' : ` (${label})`}`;
  }
}

/** Returns the fields of a request for a user. */
export async function fieldsFor({ fields = {} }: AppRequest, user: AppUser): Promise<Fields> {
  return typeof fields === 'function' ? fields(user) : fields;
}

function toAddress(path: string, fields: Fields, { query = '' }: Extras): string {
  return addQuery(addQuery(path, new URLSearchParams(fields).toString()), query);
}

function addQuery(path: string, query: string): string {
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
