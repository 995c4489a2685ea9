import { html, type Html } from '../html';
import type { RecoveryCodesPage } from '../page';
import type { Texts } from '../texts';
import { form, hidden, link, notice } from './parts';
import type { View } from './view';

/** Returns the page with the button for new codes and what they end, or with the new codes. */
export function recoveryCodesView(page: RecoveryCodesPage, texts: Texts): View {
  const title = texts(page.codes ? 'codes.title' : 'codes.makeTitle');
  const content = page.codes ? show(page, page.codes, texts) : explain(page, texts);
  const body = html`<div class="card">
    <h1>${title}</h1>
    ${notice(page)} ${content}
  </div>`;
  return { title, body };
}

function explain(page: RecoveryCodesPage, texts: Texts): Html {
  const back = page.settingsHref ?? page.homeHref;
  const button = html`<button class="button">${texts('codes.make')}</button>`;

  return html`<p>${texts('codes.text')}</p>
    <p>${texts('codes.ends')}</p>
    <ul class="ends">
      ${page.codesLeft > 0 && html`<li>${texts('codes.endsOld')}</li>`}
      <li>${texts('codes.endsDevices')}</li>
      <li>${texts('codes.endsLogins')}</li>
    </ul>
    ${form(page, 'recovery-codes', [hidden('form', page.form), button])}
    <p class="aside">${link(back, texts('action.cancel'), 'plain')}</p>`;
}

/** Shows the new codes. The buttons need the script, which reveals them. */
function show(page: RecoveryCodesPage, codes: readonly string[], texts: Texts): Html {
  const next = page.settingsHref ?? page.homeHref;

  return html`<p>${texts('codes.save')}</p>
    <ol class="codes" dir="ltr">
      ${codes.map((code) => html`<li><code>${code}</code></li>`)}
    </ol>
    <p class="actions" data-with-script hidden>
      <button class="quiet" type="button" data-copy="${texts('codes.copied')}">
        ${texts('codes.copy')}
      </button>
      <button class="quiet" type="button" data-print>${texts('codes.print')}</button>
      <span class="visually-hidden" role="status" data-copy-status></span>
    </p>
    <p class="actions">${link(next, texts('codes.done'))}</p>`;
}
