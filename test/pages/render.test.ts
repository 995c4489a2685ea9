import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { accentStylesheet, contrast, readColour } from '../../src/pages/accent';
import { writeClock, writeUnit } from '../../src/pages/duration';
import type { Page } from '../../src/pages/page';
import { renderBody, renderPage } from '../../src/pages/render';
import { BASE, LOOK, PAGES, PLAIN_LOOK } from './fixtures';
import { readAttribute, readElements, readIds } from './read-html';

const ASSETS = `${__dirname}/../../src/pages/assets`;

function pageOf(name: string): Page {
  const page = PAGES[name];
  if (!page) throw new Error(`There is no page "${name}"`);
  return page;
}

/** Renders a page of the fixtures, with other values in places. */
function show(name: string, changes: object = {}): string {
  return renderPage({ ...pageOf(name), ...changes }, PLAIN_LOOK);
}

function readForms(document: string) {
  return readElements(document)
    .filter(({ tagName }) => tagName === 'form')
    .map(({ attrs }) => Object.fromEntries(attrs.map(({ name, value }) => [name, value])));
}

describe.each(Object.entries(PAGES))('the page %s', (_name, page) => {
  const document = renderPage(page, LOOK);

  it('has nothing that a content security policy refuses', () => {
    const elements = readElements(document);
    const attributes = elements.flatMap(({ attrs }) => attrs.map(({ name }) => name));
    expect(attributes.filter((name) => name === 'style' || name.startsWith('on'))).toEqual([]);
    expect(elements.filter(({ tagName }) => tagName === 'style')).toEqual([]);
    const scripts = elements.filter(({ tagName }) => tagName === 'script');
    expect(scripts.map(({ childNodes }) => childNodes.length)).toEqual([0]);
  });

  it('has each id once, and refers only to ids that are there', () => {
    const ids = readIds(document);
    expect(new Set(ids).size).toBe(ids.length);
    const references = readElements(document).flatMap(({ attrs }) =>
      attrs
        .filter(({ name }) => ['aria-describedby', 'aria-labelledby', 'for'].includes(name))
        .flatMap(({ value }) => value.split(' ')),
    );
    expect(references.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('has one heading of the first level, and the token in every form', () => {
    expect(readElements(document).filter(({ tagName }) => tagName === 'h1')).toHaveLength(1);
    const forms = readForms(document);
    expect(forms.every(({ method }) => method === 'post')).toBe(true);
    expect(document.split('name="_csrf" value="token-of-the-app"')).toHaveLength(forms.length + 1);
  });

  it('fills in every sentence', () => {
    expect(document).not.toMatch(/\{\w+\}|undefined|\[object/);
  });
});

describe('the five states of the code', () => {
  const actionsOf = (name: string) => readForms(show(name)).map(({ action }) => action);

  it('asks for the code that was sent', () => {
    expect(actionsOf('code-sent')).toEqual(['code', 'resend', 'resend', 'cancel']);
    const field = (name: string) => readAttribute(show('code-sent'), 'code', name);
    expect(field('autocomplete')).toBe('one-time-code');
    expect(field('inputmode')).toBe('numeric');
    expect(field('aria-invalid')).toBeNull();
  });

  it('ties a wrong code to its field', () => {
    const document = show('code-wrong');
    expect(readAttribute(document, 'code', 'aria-describedby')).toBe('notice code-hint');
    expect(readAttribute(document, 'code', 'aria-invalid')).toBe('true');
    expect(document).toContain('Attempts left: 3.');
    expect(document).toContain('<title>Error: Enter your code – Harbour</title>');
  });

  it('confirms a number where the page says so', () => {
    expect(actionsOf('code-enroll')[0]).toBe('confirm-number');
  });

  it.each(['code-not-sent', 'code-no-attempts'])('has no field, and sends first: %s', (name) => {
    expect(readIds(show(name))).not.toContain('code');
    expect(actionsOf(name)[0]).toBe('resend');
  });

  it('leads to the other factor first, and offers a message instead', () => {
    const document = show('code-other-factor');
    expect(readIds(document)).not.toContain('code');
    expect(document).toContain('<a class="button" href="factor-passkey">Use your passkey</a>');
    expect(actionsOf('code-other-factor')).toEqual(['resend', 'cancel']);
  });

  it('has neither field nor message while locked, but the ways that work', () => {
    const document = show('code-locked');
    expect(readIds(document)).not.toContain('code');
    expect(actionsOf('code-locked')).toEqual(['cancel']);
    expect(document).toContain('href="recovery-code"');
  });

  it.each(Object.keys(PAGES).filter((name) => name.startsWith('code-')))(
    'has one link to the other ways: %s',
    (name) => {
      expect(show(name).split('href="other-ways"')).toHaveLength(2);
    },
  );
});

describe('settings', () => {
  it('change nothing before the user has confirmed', () => {
    const document = show('settings-confirm-first');
    expect(readForms(document)).toEqual([]);
    expect(document).toContain('<a class="button" href="confirm">');
    expect(document).not.toContain('href="add-number');
    expect(document).toContain('Safari on iPhone');
  });

  it('keep what ends something behind a first click', () => {
    const elements = readElements(show('settings'));
    const dangerous = elements.filter(({ attrs }) =>
      attrs.some(({ name, value }) => name === 'class' && value.split(' ').includes('danger')),
    );
    expect(dangerous.length).toBeGreaterThan(5);
    expect(
      dangerous.filter(({ parentNode }) => {
        const form = parentNode;
        return !(form && 'parentNode' in form && form.parentNode?.nodeName === 'details');
      }),
    ).toEqual([]);
  });

  it('do not offer to remove the only number, or to end the only login', () => {
    const actions = readForms(show('settings-one-number')).map(({ action }) => action);
    expect(actions).not.toContain('remove-number');
    expect(actions).not.toContain('end-logins');
  });
});

describe('the document', () => {
  it('has the language and its direction', () => {
    expect(show('settings')).toContain('<html lang="en" dir="ltr">');
    expect(show('settings', { locale: 'ar' })).toContain('<html lang="ar" dir="rtl">');
  });

  it('loads the accent and the stylesheet of the app after its own', () => {
    const styles = readElements(renderPage(pageOf('code-sent'), LOOK)).flatMap(({ attrs }) =>
      attrs.some(({ value }) => value === 'stylesheet')
        ? attrs.filter(({ name }) => name === 'href').map(({ value }) => value)
        : [],
    );
    expect(styles).toEqual(['pages.css', 'accent.css', '/harbour.css']);
    expect(show('code-sent')).not.toContain('accent.css');
  });

  it('has the body of the app in place of its own', () => {
    const document = renderPage(pageOf('code-sent'), LOOK, '<h1 id="own">Own</h1>');
    expect(document).toContain('<h1 id="own">Own</h1>');
    expect(readForms(document)).toEqual([]);
    expect(document).toContain('<title>Enter your code – Harbour</title>');
  });

  it('comes apart for an app with a layout of its own', () => {
    const { title, body } = renderBody(pageOf('code-sent'), LOOK);
    expect(title).toBe('Enter your code');
    expect(renderPage(pageOf('code-sent'), LOOK)).toContain(body);
  });

  it('works without a name of the app', () => {
    expect(show('code-sent', { appName: undefined })).toContain('<title>Enter your code</title>');
  });

  it('has no form token without one', () => {
    expect(show('code-sent', { csrf: null })).not.toContain('_csrf');
  });

  it('says the app’s own sentences', () => {
    const texts = { 'code.login.title': 'Ahoy, {name}' };
    const document = renderPage({ ...pageOf('code-sent'), ...BASE }, { ...PLAIN_LOOK, texts });
    expect(document).toContain('<h1>Ahoy, {name}</h1>');
  });
});

describe('an accent', () => {
  const readVariable = (css: string, name: string, at = 0) =>
    readColour(
      Array.from(css.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6})`, 'g')))[at]?.[1] ?? '',
    );
  const colours = [
    '#000',
    '#fff',
    '#ffcc00',
    '#0b5563',
    '#74cbd9',
    '#777',
    '#808080',
    '#f0f',
    '#e11d48',
  ];

  it.each(colours)('is readable: %s', (accent) => {
    const css = accentStylesheet(accent);
    const read = (name: string, at?: number) => readVariable(css, name, at) ?? ([0, 0, 0] as const);
    expect(contrast(read('accent'), read('on-accent'))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(read('accent-strong'), read('on-accent'))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(read('link'), [243, 246, 247])).toBeGreaterThanOrEqual(4.5);
    expect(contrast(read('link', 1), [19, 35, 42])).toBeGreaterThanOrEqual(4.5);
  });

  it.each(['red', '#12', '#12345', '#0000000', '#fff}*{', ' #fff'])('is refused: %p', (accent) => {
    expect(() => accentStylesheet(accent)).toThrow(TypeError);
  });
});

describe('numbers', () => {
  it('have the plural of the language', () => {
    expect(writeUnit('en', 1, 'day')).toBe('1 day');
    expect(writeUnit('en', 30, 'day')).toBe('30 days');
  });

  it.each([
    [0, '0:00'],
    [59.2, '1:00'],
    [65, '1:05'],
    [3600, '1:00:00'],
  ])('are a clock where they count down: %p', (seconds, clock) => {
    expect(writeClock(seconds)).toBe(clock);
  });
});

describe('what a browser loads', () => {
  it.each([
    ['pages.css', 8_000],
    ['pages.js', 4_000],
  ])('%s is small', (name, most) => {
    expect(gzipSync(readFileSync(`${ASSETS}/${name}`)).length).toBeLessThanOrEqual(most);
  });
});
