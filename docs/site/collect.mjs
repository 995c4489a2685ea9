// node docs/site/collect.mjs: lays what the site is made of into .site, in the folders of the
// repository, so that the links between pages lead where they lead there.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './contents.mjs';
import { collectPages } from './pages.mjs';

const TARGET = join(ROOT, '.site');

rmSync(TARGET, { recursive: true, force: true });
for (const [path, text] of collectPages()) {
  const file = join(TARGET, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
cpSync(join(ROOT, 'docs/images'), join(TARGET, 'docs/images'), { recursive: true });
cpSync(join(ROOT, 'docs/images/social.png'), join(TARGET, 'public/social.png'));
cpSync(join(ROOT, 'src/pages/assets/logo.svg'), join(TARGET, 'public/logo.svg'));
