import { Converter, PageEvent, ReflectionKind } from 'typedoc';

/**
 * Two things that typedoc does not do by itself: pages bear the title of their first heading, and anchors that a page sets
 * by hand (`<a id="otp-spec-3"></a>`) count as anchors.
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    document.name = readTitle(document) ?? document.name;
  });
  app.renderer.on(PageEvent.BEGIN, ({ model }) => {
    if (!model.kindOf(ReflectionKind.Document)) return;
    const slugger = app.renderer.router?.getSlugger(model);
    for (const [, id] of readText(model).matchAll(/<a id="([^"]+)">/g)) slugger?.slug(id);
  });
}

function readTitle(document) {
  return /^# (.+)$/m.exec(readText(document))?.[1];
}

function readText({ content }) {
  return content.map(({ text }) => text).join('');
}
