import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runCli } from './support/terminal';

const SOURCES = join(__dirname, '../../src/pages');

describe('copy-pages', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'copy-pages-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('writes every source, as it is, and says what to do next', async () => {
    const { code, stdout } = await runCli(['copy-pages', 'src/second-factor'], { folder });
    expect(code).toBe(0);
    expect(stdout).toContain('npm install escape-html zod');
    const copy = join(folder, 'src/second-factor');
    const list = (from: string): string[] =>
      readdirSync(from, { recursive: true, encoding: 'utf8' }).sort();
    expect(list(copy)).toEqual(list(SOURCES));
    expect(readFileSync(join(copy, 'router.ts'), 'utf8')).toBe(
      readFileSync(join(SOURCES, 'router.ts'), 'utf8'),
    );
  });

  it('writes nothing into a folder with files', async () => {
    writeFileSync(join(folder, 'mine.ts'), '');
    const { code, stderr } = await runCli(['copy-pages', '.'], { folder });
    expect(code).toBe(1);
    expect(stderr).toContain('The folder is not empty. Nothing was written.');
    expect(readdirSync(folder)).toEqual(['mine.ts']);
  });

  it('asks for the folder', async () => {
    const { code } = await runCli(['copy-pages'], { folder });
    expect(code).toBe(2);
    expect(existsSync(join(folder, 'router.ts'))).toBe(false);
  });

  it('leaves no import of the package but by its name', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
    const imports = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const text = readFileSync(join(SOURCES, file), 'utf8');
        const depth = file.split('/').length;
        return (
          Array.from(text.matchAll(/(?:from|require\() ?'(\.[^']+)'/g), ([, to = '']) => to)
            // A path that leads out of the folder.
            .filter((to) => to.split('../').length > depth)
        );
      });
    expect(imports).toEqual([]);
  });
});
