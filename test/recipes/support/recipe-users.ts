import type { Users } from '../../../docs/recipes/parts';
import { asUser } from '../../support/test-users';

const PASSWORD = 'the right password';

/** What every recipe is given beside its users and its gateway. */
export const RECIPE_SECRETS = {
  sessionSecret: 'the secret of the sessions',
  otpSecret: 'a secret of the tests, long enough to be one',
};

/** The users of the recipes, each with a number of a prefix of its own. */
export class RecipeUsers implements Users {
  /** Ids of users who are gone. */
  readonly gone = new Set<string>();
  private readonly phones = new Map([
    ['alice', '+12025550123'],
    ['bob', '+14155552671'],
    ['carol', '+13125550188'],
    ['dave', '+16175550144'],
    ['erin', '+13035550155'],
    ['frank', '+15035550166'],
  ]);

  checkPassword(username: string, password: string): Promise<Express.User | null> {
    return password === PASSWORD ? this.findById(username) : Promise.resolve(null);
  }

  findById(id: string): Promise<Express.User | null> {
    const phone = this.phones.get(id);
    const isThere = phone !== undefined && !this.gone.has(id);
    return Promise.resolve(isThere ? asUser({ id, phone }) : null);
  }

  findPhone(id: string): Promise<string | null> {
    return Promise.resolve(this.phones.get(id) ?? null);
  }

  /** @throws {Error} for somebody who is not there. */
  phoneOf(id: string): string {
    const phone = this.phones.get(id);
    if (phone === undefined) throw new Error(`there is no ${id}`);
    return phone;
  }
}

export function passwordOf(username: string): { username: string; password: string } {
  return { username, password: PASSWORD };
}
