import { html } from '../html';
import type { RecoveryCodePage } from '../page';
import type { Texts } from '../texts';
import { describedBy, form, notice } from './parts';
import type { View } from './view';

export function recoveryCodeView(page: RecoveryCodePage, texts: Texts): View {
  const title = texts('recovery.title');
  const isRefused = page.notice?.kind === 'error';
  const fields = html`<div class="field">
      <label for="recovery">${texts('recovery.label')}</label>
      ${notice(page)}
      <p class="hint" id="recovery-hint">${texts('recovery.hint')}</p>
      <input
        id="recovery"
        name="${page.fields.recoveryCode}"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        dir="ltr"
        required
        autofocus${describedBy('recovery-hint', isRefused)}
      />
    </div>
    <button class="button">${texts('action.confirm')}</button>`;

  const body = html`<div class="card">
    <h1>${title}</h1>
    ${form(page, 'recovery-code', fields)}
    <p class="aside"><a href="other-ways">${texts('factor.otherWays')}</a></p>
  </div>`;

  return { title, body };
}
