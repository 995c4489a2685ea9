import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readBlocks, type Block } from './support/blocks';
import { toModules, toText } from './support/modules';
import { readPages } from './support/pages';
import { makeDirectory, start } from './support/run';

/** A block that is run, and what the page says it prints; null: the page does not say. */
interface Program {
  readonly place: string;
  readonly block: Block;
  readonly output: string | null;
}

const programs = readPages().flatMap((page) => {
  const blocks = readBlocks(page);
  return blocks.flatMap((block, index): Program[] => {
    const next = blocks[index + 1];
    const output = next?.notes.includes('output') === true ? next.code : null;
    return block.notes.includes('run')
      ? [{ place: `${page.path}:${block.line}`, block, output }]
      : [];
  });
});

const directory = makeDirectory();

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('programs of the documentation', () => {
  it('are there', () => {
    expect(programs.length).toBeGreaterThan(0);
  });

  it.each(programs)(
    '$place runs, and prints what the page says',
    async ({ place, block, output }) => {
      const text = toModules([block]).map(toText).join('\n');
      const { status, stdout, stderr } = await start(
        directory,
        `${place.replace(/\W/g, '-')}.mts`,
        text,
      ).ended;
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      // A page that does not say is compared with what was printed.
      expect(stdout.trimEnd()).toBe((output ?? stdout).trimEnd());
    },
  );
});
