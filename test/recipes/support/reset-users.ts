import type { Mail, ResetUsers } from '../../../docs/recipes/password-reset';
import { waitUntil } from '../../support/wait-until';
import { RecipeUsers } from './recipe-users';

/** Users whose passwords change. Each is found by the id. */
export class ChangingUsers extends RecipeUsers implements ResetUsers {
  private readonly changed = new Map<string, string>();
  private readonly versions = new Map<string, number>();

  override checkPassword(username: string, password: string): Promise<Express.User | null> {
    const own = this.changed.get(username);
    if (own === undefined) return super.checkPassword(username, password);
    return password === own ? this.findById(username) : Promise.resolve(null);
  }

  findByName(username: string): Promise<Express.User | null> {
    return this.findById(username);
  }

  setPassword(id: string, password: string): Promise<void> {
    this.changed.set(id, password);
    this.versions.set(id, (this.versions.get(id) ?? 1) + 1);
    return Promise.resolve();
  }

  passwordVersion(id: string): Promise<string> {
    return Promise.resolve(String(this.versions.get(id) ?? 1));
  }
}

/** E-mails that a test reads. */
export class Mailbox implements Mail {
  readonly links: { readonly userId: string; readonly link: string }[] = [];
  /** The users who were told that their password was changed. */
  readonly notices: string[] = [];

  sendResetLink({ id }: Express.User, link: string): Promise<void> {
    this.links.push({ userId: id, link });
    return Promise.resolve();
  }

  sendPasswordChanged(userId: string): Promise<void> {
    this.notices.push(userId);
    return Promise.resolve();
  }

  /** Waits for the next link of a user after `count` others, and returns the token in it. */
  async readToken(userId: string, count = 0): Promise<string> {
    const own = (): Mailbox['links'] => this.links.filter((sent) => sent.userId === userId);
    await waitUntil(() => own().length > count);
    return new URL(own().at(-1)?.link ?? '').searchParams.get('token') ?? '';
  }
}
