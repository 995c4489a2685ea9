import { html, safeHref, type Html, type HtmlValue } from './html';
import type { Look, Page } from './page';
import type { Texts } from './texts';
import type { View } from './views/view';

/** Returns the document around a view. */
export function layout(page: Page, look: Look, view: View, texts: Texts): Html {
  const direction = page.locale === 'ar' ? 'rtl' : 'ltr';

  return html`<!doctype html>
    <html lang="${page.locale}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${titleOf(page, view, texts)}</title>
        <link rel="icon" href="${safeHref(look.logo ?? 'logo.svg')}" />
        ${stylesheets(look)}
        <script src="pages.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">${texts('layout.skip')}</a>
        ${header(page, look, texts)}
        <main id="main" class="${view.isWide === true ? 'wide' : 'narrow'}" tabindex="-1">
          ${view.body}
        </main>
        ${footer(page, look, texts)}
      </body>
    </html> `;
}

/** Returns the stylesheets. Later ones override earlier ones: the accent, then the app's own. */
function stylesheets(look: Look): HtmlValue {
  const addresses = ['pages.css', look.accent === null ? null : 'accent.css', look.stylesheet];
  return addresses
    .filter((address) => address !== null)
    .map((address) => html`<link rel="stylesheet" href="${safeHref(address)}" />`);
}

/**
 * Returns the title. An error comes first, so that a screen reader reads it as soon as the page has
 * loaded.
 */
function titleOf(page: Page, view: View, texts: Texts): string {
  const isError = page.notice?.kind === 'error';
  const title = isError ? texts('layout.error', { title: view.title }) : view.title;
  return page.appName === undefined ? title : `${title} – ${page.appName}`;
}

function header(page: Page, look: Look, texts: Texts): Html {
  const logo = safeHref(look.logo ?? 'logo.svg');
  return html`<header class="top">
    <div class="wide">
      <p class="brand"><img src="${logo}" alt="" height="32" /><bdi>${page.appName}</bdi></p>
      ${page.isLoggedIn && navigation(page, texts)}
    </div>
  </header>`;
}

function navigation(page: Page, texts: Texts): Html {
  const current = page.name === 'settings' && html` aria-current="page"`;

  return html`<nav aria-label="${texts('layout.navigation')}">
    <a href="${safeHref(page.homeHref)}">${texts('layout.home')}</a>
    ${
      page.settingsHref !== null &&
      html`<a href="${safeHref(page.settingsHref)}" ${current}>${texts('settings.title')}</a>`
    }
  </nav>`;
}

/** Returns the footer. The page of other ways has no link to help in it, but in its content. */
function footer(page: Page, look: Look, texts: Texts): HtmlValue {
  if (look.help === null || page.name === 'other-ways') return null;
  const help = html`<a href="${safeHref(look.help)}">${texts('layout.help')}</a>`;
  return html`<footer class="bottom"><p class="wide">${help}</p></footer>`;
}
