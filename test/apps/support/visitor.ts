import { Browser, type Answer } from './browser';
import type { Person } from './parts';
import type { AppOfWalk, Site } from './site';

type Fields = Readonly<Record<string, string>>;

/** A person in front of an app, with a browser of their own. */
export class Visitor {
  readonly browser: Browser;

  constructor(
    readonly site: Site,
    readonly app: AppOfWalk,
    readonly person = site.nextPerson(),
    browser?: Browser,
  ) {
    this.browser = browser ?? new Browser(site.server, this.speaksJson);
  }

  /** Whether the app has no pages. */
  get speaksJson(): boolean {
    return this.app.speaksJson === true;
  }

  /** The same person, with the cookies that the browser has now. */
  copy(): Visitor {
    return new Visitor(this.site, this.app, this.person, this.browser.copy());
  }

  /** Another person, in the same browser. */
  followedBy(person: Person): Visitor {
    return new Visitor(this.site, this.app, person, this.browser);
  }

  /** A path of the app as the browser sees it. */
  at(path: string): string {
    return `${this.app.prefix ?? ''}${path}`;
  }

  givePassword(fields: Fields = {}): Promise<Answer> {
    const { name, password } = this.person;
    return this.submit('/login', '/login', { username: name, password, ...fields });
  }

  enter(pin = this.code, fields: Fields = {}): Promise<Answer> {
    return this.submit('/login/pin', '/login/pin', { pin, ...fields });
  }

  async logIn(fields: Fields = {}): Promise<Answer> {
    await this.givePassword(fields);
    return this.enter();
  }

  /** Opens an account with the number of this person. */
  signUp(): Promise<Answer> {
    const { name, password, phone } = this.person;
    const fields = { username: `new-${name}`, password, phone: phone ?? '' };
    return this.submit('/sign-up', '/sign-up', fields);
  }

  async logOut(): Promise<Answer> {
    if (this.app.logsOutByLink === true) return this.browser.get(this.at('/logout'));
    return this.submit('/account', '/logout');
  }

  /** Submits the form of a page, or calls the API. */
  submit(page: string, action: string, fields: Fields = {}): Promise<Answer> {
    return this.browser.submit(this.at(page), this.at(action), fields);
  }

  visit(path: string): Promise<Answer> {
    return this.browser.visit(this.at(path));
  }

  /** Whether the guarded page shows this person. */
  async isIn(): Promise<boolean> {
    const { status, path, text } = await this.visit('/account');
    return status === 200 && path === this.at('/account') && text.includes(this.person.name);
  }

  /** The newest code on the person's phone. */
  get code(): string {
    return this.site.sim.lastPin(this.person.phone ?? '') ?? 'none';
  }

  /** A code that differs in its last digit. */
  get wrongCode(): string {
    return this.code.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
  }
}
