import { html, type Html } from '../pages/html';
import type { PageNotice } from '../pages/page';

export { html } from '../pages/html';

export function form(action: string, button: string, fields?: Html): Html {
  return html`<form method="post" action="${action}">
    ${fields}<button class="button">${button}</button>
  </form>`;
}

/**
 * Returns a page of the demo, in the style of the ready-made pages.
 *
 * @param notice The sentence above the form. Empty: none.
 * @param kind `error` for a refused form, `info` for a visitor who is sent to the login.
 */
export function page(
  title: string,
  content: Html,
  notice = '',
  kind: PageNotice['kind'] = 'error',
): string {
  const role = kind === 'error' ? 'alert' : 'status';
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – Demo</title>
        <link rel="icon" href="/second-factor/logo.svg" />
        <link rel="stylesheet" href="/second-factor/pages.css" />
        <script src="/second-factor/pages.js" defer></script>
      </head>
      <body>
        <header class="top">
          <div class="wide">
            <p class="brand"><img src="/second-factor/logo.svg" alt="" height="32" />Demo</p>
          </div>
        </header>
        <main class="narrow">
          <div class="card">
            <h1>${title}</h1>
            ${notice !== '' && html`<p class="notice ${kind}" role="${role}">${notice}</p>`}
            ${content}
          </div>
        </main>
      </body>
    </html>`.toString();
}
