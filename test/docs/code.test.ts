import { beforeAll, describe, expect, it } from '@jest/globals';
import { readBlocks } from './support/blocks';
import { compile } from './support/compile';
import { toModules } from './support/modules';
import { readPages } from './support/pages';

const blocks = readPages().map(readBlocks);

describe('the code of the documentation', () => {
  let complaints: readonly string[];

  beforeAll(() => {
    complaints = compile(blocks.flatMap(toModules));
  });

  it('compiles', () => {
    expect(complaints).toEqual([]);
  });
});
