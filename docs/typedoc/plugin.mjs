import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application, Converter, PageEvent, ReflectionKind } from 'typedoc';

const ROOT = join(import.meta.dirname, '../..');

/**
 * What typedoc does not do by itself: every subpath of package.json is documented under the name
 * people import it by; the pages are those that the start page leads to, in its order, and bear the
 * title of their first heading; anchors that a page sets by hand (`<a id="otp-spec-3"></a>`) count
 * as anchors.
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  const entries = readEntries();
  // Plugins are loaded before the options are read.
  app.on(Application.EVENT_BOOTSTRAP_END, () => {
    app.options.setValue(
      'entryPoints',
      entries.map(({ source }) => source),
    );
    app.options.setValue('projectDocuments', readContents());
  });
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    document.name = readTitle(document) ?? document.name;
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      module.name = entries.find(({ path }) => path === module.name)?.specifier ?? module.name;
    }
  });
  app.renderer.on(PageEvent.BEGIN, ({ model }) => {
    if (!model.kindOf(ReflectionKind.Document)) return;
    const slugger = app.renderer.router?.getSlugger(model);
    for (const [, id] of readText(model).matchAll(/<a id="([^"]+)">/g)) slugger?.slug(id);
  });
}

/**
 * The subpaths of package.json: their source, the name typedoc gives it, and the one people import.
 */
function readEntries() {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const subpaths = Object.entries(exports).filter(([, target]) => typeof target === 'object');
  return subpaths.map(([subpath, target]) => {
    const file = target.default.replace(/^\.\/dist\/(.*)\.js$/, '$1');
    return {
      source: `${file.startsWith('contracts/') ? 'test' : 'src'}/${file}.ts`,
      path: file.replace(/\/index$/, ''),
      specifier: name + subpath.slice(1),
    };
  });
}

/** The pages that the start page links to. */
function readContents() {
  const start = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
  const links = Array.from(start.matchAll(/\]\(([\w./-]+\.md)\)/g), ([, link]) => link);
  return [...new Set(links)].map((link) => join(ROOT, 'docs', link));
}

function readTitle(document) {
  return /^# (.+)$/m.exec(readText(document))?.[1];
}

function readText({ content }) {
  return content.map(({ text }) => text).join('');
}
