import { html, type Html } from '../html';
import type { AddNumberPage } from '../page';
import type { Texts } from '../texts';
import { describedBy, form, hidden, link, notice } from './parts';
import type { View } from './view';

/** A number that is reserved for examples. */
const EXAMPLE = '\u2066+1\u00a0202\u00a0555\u00a00188\u2069';

/** Returns the page that adds a number or replaces one. */
export function addNumberView(page: AddNumberPage, texts: Texts): View {
  const title = texts(page.replaces ? 'number.replaceTitle' : 'number.addTitle');
  const fields = [
    page.replaces && hidden(page.fields.phoneId, page.replaces.phoneId),
    phoneField(page, texts),
    html`<button class="button">${texts('number.send')}</button>`,
  ];

  const back = page.settingsHref ?? page.homeHref;
  const body = html`<div class="card">
    <h1>${title}</h1>
    <p>${explain(page, texts)}</p>
    ${form(page, 'add-number', fields)}
    <p class="aside">${texts('number.costs')}</p>
    <p class="aside">${link(back, texts('action.notNow'), 'plain')}</p>
  </div>`;

  return { title, body };
}

function explain(page: AddNumberPage, texts: Texts): string {
  const { replaces } = page;
  const text = texts('number.text');
  return replaces ? `${texts('number.replaces', { digits: replaces.digits })} ${text}` : text;
}

function phoneField(page: AddNumberPage, texts: Texts): Html {
  const isRefused = page.notice?.kind === 'error';
  const hint = page.national
    ? texts('number.hintNational')
    : texts('number.hint', { example: EXAMPLE });

  return html`<div class="field">
    <label for="phone">${texts('number.label')}</label>
    ${notice(page)}
    <p class="hint" id="phone-hint">${hint}</p>
    <input
      id="phone"
      name="${page.fields.phone}"
      type="tel"
      inputmode="tel"
      autocomplete="tel"
      dir="ltr"
      required
      value="${page.typed}"
      autofocus${describedBy('phone-hint', isRefused)}
    />
  </div>`;
}
