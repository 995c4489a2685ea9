import { describe, expect, it } from '@jest/globals';
import { html, raw, safeHref } from '../../src/pages/html';
import { layout } from '../../src/pages/layout';
import type { Look, Page, PageLocale } from '../../src/pages/page';
import { renderPage } from '../../src/pages/render';
import { createTexts } from '../../src/pages/texts';
import { CODE, LOOK, PAGES } from './fixtures';
import { PAYLOADS } from './payloads';
import { readElements, readShape, schemesOf, shapeOf } from './read-html';

/** Values that choose a view or a sentence, and come from a closed list. */
const CHOICES = new Set(['name', 'state', 'purpose', 'kind', 'message', 'to', 'locale']);
/** The name of a factor chooses its sentence where the texts know it. */
const KNOWN_FACTORS = new Set(['totp', 'passkey']);

/** Puts a payload in the place of every value, however deep, but for those that are choices. */
function poison<T extends Page | Look>(value: T, payload: string): T {
  const replace = (key: string, old: unknown): unknown => {
    if (typeof old !== 'string') return old;
    return CHOICES.has(key) || old === '' || KNOWN_FACTORS.has(old) ? old : payload;
  };
  // The same keys with values of the same types: strings take the place of strings.
  return JSON.parse(JSON.stringify(value, replace)) as T;
}

function render(page: Page, look: Look): string {
  return renderPage(page, look);
}

/** A value that needs no escaping, so that the shapes differ only by what a payload adds. */
const HARMLESS = 'harmless';

describe('every value of every page', () => {
  it('has forty payloads to resist', () => {
    expect(new Set(PAYLOADS).size).toBe(40);
  });

  it.each(Object.entries(PAGES))('is escaped: %s', (_name, page) => {
    const shape = readShape(render(poison(page, HARMLESS), poison(LOOK, HARMLESS)));
    for (const payload of PAYLOADS) {
      const elements = readElements(render(poison(page, payload), poison(LOOK, payload)));
      expect(shapeOf(elements)).toEqual(shape);
      expect(schemesOf(elements)).toEqual(new Set(['https:']));
    }
  });
});

describe('sentences of the app and its CSRF token', () => {
  it('are escaped, in the title as well', () => {
    const page = CODE;
    for (const payload of PAYLOADS) {
      const texts = { 'code.login.title': payload, 'code.label': payload, 'code.sent': payload };
      const csrf = { name: payload, value: payload };
      const shape = readShape(renderPage(page, LOOK));
      expect(readShape(renderPage({ ...page, csrf }, { ...LOOK, texts }))).toEqual(shape);
    }
  });
});

describe('the language', () => {
  it('is escaped, whatever it is', () => {
    const view = { title: 'Title', body: raw('') };
    const render = (locale: string) =>
      layout(
        { ...CODE, locale: locale as PageLocale /* no locale at all */ },
        LOOK,
        view,
        createTexts('en'),
      ).toString();
    for (const payload of PAYLOADS)
      expect(readShape(render(payload))).toEqual(readShape(render('en')));
  });
});

describe('html', () => {
  it('escapes values, and leaves out what is nothing', () => {
    expect(html`<b title="${'"&\''}">${[1, '<i>', null, undefined, false]}</b>`.toString()).toBe(
      '<b title="&quot;&amp;&#39;">1&lt;i&gt;</b>',
    );
  });

  it('takes HTML as it is', () => {
    expect(html`<p>${html`<b>${'<'}</b>`}${raw('<hr>')}</p>`.toString()).toBe(
      '<p><b>&lt;</b><hr></p>',
    );
  });
});

describe('safeHref', () => {
  it.each(['code', '/login', '../a?b=c#d', 'https://harbour.example/help', '#main', ''])(
    'keeps %p',
    (address) => {
      expect(safeHref(address)).toBe(address);
    },
  );

  it.each([
    'javascript:alert(1)',
    ' java\nscript:alert(1)',
    'data:text/html,x',
    'http://[',
    'http://a',
  ])('refuses %p', (address) => {
    expect(safeHref(address)).toBe('#');
  });
});
