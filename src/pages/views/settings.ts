import { html, type Html, type HtmlValue } from '../html';
import type { SettingsPage } from '../page';
import type { Texts } from '../texts';
import { link, notice } from './parts';
import { devicesSection, loginsSection } from './settings-browsers';
import { numbersSection } from './settings-numbers';
import type { View } from './view';

/**
 * Returns the page "Sign-in security". Without a recent factor it shows everything and changes
 * nothing.
 */
export function settingsView(page: SettingsPage, texts: Texts): View {
  const title = texts('settings.title');
  const parts = [page.numbers, page.recoveryCodesLeft, page.devices, page.logins];
  const isEmpty = parts.every((part) => part === null);

  const body = html`<h1>${title}</h1>
    ${notice(page)} ${isEmpty && html`<p>${texts('settings.empty')}</p>`}
    ${!page.mayAdd && !isEmpty && proveFirst(page, texts)}
    <div class="settings">
      <div>${numbersSection(page, texts)}${loginsSection(page, texts)}</div>
      <div>${codesSection(page, texts)}${devicesSection(page, texts)}</div>
    </div>`;

  return { title, body, isWide: true };
}

function proveFirst(page: SettingsPage, texts: Texts): Html {
  return html`<div class="card prove">
    <p>${texts('settings.prove')}</p>
    <p class="actions">${link(page.confirmHref, texts('action.prove'))}</p>
  </div>`;
}

function codesSection(page: SettingsPage, texts: Texts): HtmlValue {
  if (page.recoveryCodesLeft === null) return null;

  return html`<section class="card" aria-labelledby="codes">
    <h2 id="codes">${texts('settings.codes')}</h2>
    <p class="hint">${texts('settings.codesText')}</p>
    <dl class="facts">
      <div>
        <dt>${texts('settings.codesLeft')}</dt>
        <dd>${page.recoveryCodesLeft}</dd>
      </div>
    </dl>
    ${
      page.mayAdd &&
      html`<p class="actions">${link('recovery-codes', texts('settings.makeCodes'), 'quiet')}</p>`
    }
  </section>`;
}
