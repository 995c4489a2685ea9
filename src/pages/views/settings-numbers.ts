import { html, type Html, type HtmlValue } from '../html';
import type { SettingsPage } from '../page';
import type { Texts } from '../texts';
import { danger, form, hidden } from './parts';

type Phone = NonNullable<SettingsPage['numbers']>[number];

export function numbersSection(page: SettingsPage, texts: Texts): HtmlValue {
  if (!page.numbers) return null;
  const numbers = page.numbers;
  const items = numbers.map((phone, index) => phoneItem(page, phone, index, texts));

  return html`<section class="card" aria-labelledby="numbers">
    <h2 id="numbers">${texts('settings.numbers')}</h2>
    <p class="hint">${texts(numbers.length > 0 ? 'settings.numbersText' : 'settings.noNumbers')}</p>
    ${
      items.length > 0 &&
      html`<ul class="things">
        ${items}
      </ul>`
    }
    ${
      page.mayAdd &&
      html`<p class="actions">
        <a class="quiet" href="add-number">${texts('settings.addNumber')}</a>
      </p>`
    }
  </section>`;
}

function phoneItem(page: SettingsPage, phone: Phone, index: number, texts: Texts): Html {
  const id = `number-${index}`;
  return html`<li>
    <p class="things-name">
      <strong id="${id}">${texts('settings.ending', { digits: phone.digits })}</strong>
      ${tag(phone, texts)}
    </p>
    ${page.mayChange && phoneActions(page, phone, id, texts)}
  </li>`;
}

function tag(phone: Phone, texts: Texts): HtmlValue {
  if (phone.isDefault) return html`<span class="tag">${texts('settings.isDefault')}</span>`;
  return !phone.isConfirmed && html`<span class="tag">${texts('settings.isUnconfirmed')}</span>`;
}

function phoneActions(page: SettingsPage, phone: Phone, id: string, texts: Texts): HtmlValue {
  const field = hidden(page.fields.phoneId, phone.phoneId);
  const replaceHref = `add-number?replaces=${encodeURIComponent(phone.phoneId)}`;

  return [
    phone.isConfirmed &&
      html`<div class="things-actions">
        ${!phone.isDefault && makeDefault(page, field, id, texts)}
        <a class="quiet" href="${replaceHref}" aria-describedby="${id}"
          >${texts('settings.replace')}</a
        >
      </div>`,
    isOnlyNumber(page, phone)
      ? html`<p class="hint">${texts('settings.onlyNumber')}</p>`
      : danger(page, 'remove-number', {
          summary: texts('settings.remove'),
          describedBy: id,
          hint: phone.isConfirmed ? texts('settings.endsOthers') : null,
          field,
          button: texts('settings.removeNumber'),
        }),
  ];
}

function makeDefault(page: SettingsPage, field: Html, id: string, texts: Texts): Html {
  const label = texts('settings.makeDefault');
  const button = html`<button class="quiet" aria-describedby="${id}">${label}</button>`;
  return form(page, 'default-number', [field, button]);
}

function isOnlyNumber(page: SettingsPage, phone: Phone): boolean {
  const proven = page.numbers?.filter(({ isConfirmed }) => isConfirmed);
  return phone.isConfirmed && proven?.length === 1;
}
