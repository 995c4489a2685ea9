import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from '../command';
import { CommandFailure } from '../failures';

/** The root of the package. The path works from `dist` and from `src`, which are equally deep. */
const ROOT = join(__dirname, '../../..');
/** The packages that the pages import, besides this package and Express. */
const PACKAGES = 'escape-html zod';

export const copyPages: Command = {
  name: 'copy-pages',
  summary: 'copy the sources of the ready-made pages into your app',
  positionals: ['<folder>'],
  options: {
    javascript: { help: 'write JavaScript (CommonJS); default: TypeScript' },
  },
  notes: [
    'Import smsOtpPages from the copy instead of passport-sms-otp/pages. No route changes.',
    'Updates of the package do not change it.',
  ],
  run({ args, io, output }) {
    const isJavaScript = args.isOn('javascript');
    const folder = resolve(io.folder, args.positionals[0] ?? '');
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new CommandFailure(
        'The folder is not empty. Nothing was written.',
        'Choose a new or empty folder.',
      );
    }

    copyFiles(join(ROOT, isJavaScript ? 'dist/pages' : 'src/pages'), folder);
    const shown = relative(io.folder, folder);

    output.line(`The pages are in ${shown}. Next:`);
    output.line('');
    output.line(`  npm install ${PACKAGES}`);
    if (!isJavaScript) output.line('  npm install --save-dev @types/escape-html');
    output.line(`  import smsOtpPages from ./${shown} instead of passport-sms-otp/pages`);
    output.line('');
    output.line('Your build must copy its folder assets too.');
    return Promise.resolve(0);
  },
};

/** Copies all files of a folder except type declarations, which belong to the built package. */
function copyFiles(from: string, to: string): void {
  for (const path of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.d.ts') || statSync(join(from, path)).isDirectory()) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(join(from, path), join(to, path));
  }
}
