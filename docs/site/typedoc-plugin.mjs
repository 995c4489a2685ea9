import { Application, Converter } from 'typedoc';
import { readEntries } from './contents.mjs';

/**
 * Documents every subpath of package.json under the name that people import it by.
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
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      module.name = entries.find((entry) => entry.module === module.name).specifier;
    }
  });
}
