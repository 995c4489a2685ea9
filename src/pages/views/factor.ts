import { html, safeHref, type Html } from '../html';
import type { FactorPage } from '../page';
import type { Texts } from '../texts';
import { codeField, explainWay, form, hidden, nameWay, notice, trustBox } from './parts';
import type { View } from './view';

/** Returns the page of an app's factor: its code is typed, or the browser answers its challenge. */
export function factorView(page: FactorPage, texts: Texts): View {
  const title = nameWay(page, texts);
  const body = html`<div class="card">
    <h1>${title}</h1>
    ${page.kind === 'challenge' && notice(page)}
    <p>${explainWay(page, texts)}</p>
    ${page.kind === 'typed' ? typedForm(page, texts) : challengeForm(page, texts)}
    <p class="aside"><a href="other-ways">${texts('factor.otherWays')}</a></p>
  </div>`;

  return { title, body };
}

function typedForm(page: FactorPage, texts: Texts): Html {
  const isRefused = page.notice?.kind === 'error';
  const fields = html`<div class="field">
      <label for="code">${texts('factor.code')}</label>
      ${notice(page)} ${codeField(page.fields.code, null, isRefused)}
    </div>
    <button class="button">${texts('action.confirm')}</button>
    ${trustBox(page, page.trustDays, texts)}`;

  return form(page, page.action, fields);
}

/**
 * Returns the form of a challenge. It is hidden until the script finds that this browser can
 * answer.
 */
function challengeForm(page: FactorPage, texts: Texts): Html {
  const fields = html`${hidden(page.fields.code, '')}
    <div role="alert"><p class="notice error" data-failed hidden>${texts('factor.failed')}</p></div>
    <button class="button">${texts('action.continue')}</button>
    ${trustBox(page, page.trustDays, texts)}`;

  const options = safeHref(page.optionsAction ?? '');
  const attributes = html` data-challenge="${options}" data-field="${page.fields.code}" hidden`;
  return html`${form(page, page.action, fields, attributes)}
    <p class="hint" data-missing>${texts('factor.missing')}</p>`;
}
