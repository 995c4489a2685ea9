import { describe, it } from '@jest/globals';
import { createApp } from './express-generator';
import { useSite, type AppOfWalk } from './support/site';
import { stepsOf } from './support/walk';

const APP: AppOfWalk = { variant: 'A', createApp };

describe('express-generator 4.16: EJS, CSRF tokens, sessions in a store', () => {
  const site = useSite(APP);

  it.each(stepsOf(APP))('$title', ({ expectStep }) => expectStep(site.visitor()));
});
