import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { listNodes, parse } from './sources.mjs';

/** Counts what a user of a checkout may meet. It need not be built. */
export function countSurface(checkout) {
  const read = (path) =>
    existsSync(join(checkout, path)) ? readFileSync(join(checkout, path), 'utf8') : '';
  const { exports } = JSON.parse(read('package.json'));
  const options = read('docs/options.md');
  const pages = read('docs/pages.md');
  const api = read('docs/api.md');

  return {
    options: countRows(options, 'Option') + countRows(pages, 'Option'),
    entries: Object.keys(exports).filter((entry) => entry !== './package.json').length,
    'members of createSmsOtp': countRows(readSection(api, 'What createSmsOtp returns'), 'Name'),
    commands: countElements(parse('run.ts', read('src/cli/run.ts')), 'COMMANDS'),
    reasons: countElements(
      parse('outcome.ts', read('src/core/outcome.ts') || read('src/login/outcome.ts')),
      'REASONS',
    ),
    warnings: read('docs/troubleshooting.md').match(/^#+ SMS_OTP_\w+$/gm)?.length ?? 0,
    'words of docs': countWords(join(checkout, 'docs')),
  };
}

/** Counts the rows of all tables whose first heading is the given one. Tests keep them complete. */
function countRows(page, heading) {
  const tables = page.match(/(?:^\|.*\n)+/gm) ?? [];
  return tables
    .map((table) => table.trim().split('\n'))
    .filter(([head]) => new RegExp(`^\\| ${heading} +\\|`).test(head))
    .reduce((sum, [, , ...rows]) => sum + rows.length, 0);
}

/** Returns the text from a heading to the next one of its level. */
function readSection(page, heading) {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  return section.split(/^## /m)[0];
}

/** Counts the elements of the list that a constant of a file holds. */
function countElements(file, name) {
  const constant = listNodes(file).find(
    (node) => ts.isVariableDeclaration(node) && node.name.getText() === name,
  );
  if (constant === undefined) throw new Error(`${file.fileName} has no ${name}`);
  return listNodes(constant).find(ts.isArrayLiteralExpression).elements.length;
}

function countWords(folder) {
  const pages = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.md'));
  const words = pages.map((path) => readFileSync(join(folder, path), 'utf8').match(/\S+/g) ?? []);
  return words.reduce((sum, { length }) => sum + length, 0);
}
