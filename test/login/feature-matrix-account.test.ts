import { forgetCores } from '../support/kept-cores';
import { afterAll, describe, it } from '@jest/globals';
import { expectCell, listCells } from '../support/feature-cells';
import { ACCOUNT_ROWS } from '../support/feature-rows-account';
import { useOwnApps } from '../support/use-app';

describe('what goes wrong in the calls of features', () => {
  const apps = useOwnApps();
  afterAll(forgetCores);

  it.each(listCells(ACCOUNT_ROWS))('$what', (cell) => expectCell(apps, cell));
});
