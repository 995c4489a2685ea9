import type { StaffUsers } from '../../../docs/recipes/log-in-as';
import type { DatedUsers } from '../../../docs/recipes/mandatory-from';
import { RecipeUsers } from './recipe-users';

/** Users whose accounts were opened long ago, but for those of whom a test says otherwise. */
export class OldUsers extends RecipeUsers implements DatedUsers {
  readonly openedAt = new Map<string, number>();

  findOpenedAt(id: string): Promise<number> {
    return Promise.resolve(this.openedAt.get(id) ?? 0);
  }
}

/** Users of whom three are staff. */
export class UsersWithStaff extends RecipeUsers implements StaffUsers {
  isStaff(id: string): Promise<boolean> {
    return Promise.resolve(['carol', 'erin', 'frank'].includes(id));
  }

  readAccount(id: string): Promise<object> {
    return Promise.resolve({ id, balance: '12.50' });
  }
}
