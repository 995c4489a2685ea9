import { html, safeHref } from '../html';
import type { OtherWaysPage } from '../page';
import type { Texts } from '../texts';
import { form, notice, wayLinks } from './parts';
import { resendForms } from './resend';
import type { View } from './view';

/** Returns the page "I cannot get a code": what still works for this user, and how long to wait. */
export function otherWaysView(page: OtherWaysPage, texts: Texts): View {
  const title = texts('ways.title');
  const hasNone = page.ways.length === 0;

  const body = html`<div class="card">
    <h1>${title}</h1>
    ${notice(page)} ${hasNone ? html`<p>${texts('ways.none')}</p>` : wayLinks(page.ways, texts)}
    <h2>${texts(page.resend?.isText === false ? 'code.not-sent.title' : 'ways.message')}</h2>
    ${
      page.resend
        ? resendForms(page, page.resend, texts('code.resend'), 'quiet', texts)
        : html`<p class="hint">${texts('code.noMore')}</p>`
    }
    ${
      page.help !== null &&
      html`<h2>${texts('ways.help')}</h2>
        <p><a href="${safeHref(page.help)}">${texts('ways.getHelp')}</a></p>`
    }
    <div class="other-ways">
      <p><a class="quiet" href="code">${texts('action.back')}</a></p>
      ${form(page, 'cancel', html`<button class="quiet">${texts('action.cancel')}</button>`)}
    </div>
  </div>`;

  return { title, body };
}
