import { html, type Html, type HtmlValue } from '../html';
import type { SettingsPage } from '../page';
import type { Texts } from '../texts';
import { danger, hidden, timeSentence } from './parts';

type Device = NonNullable<SettingsPage['devices']>[number];
type ShownLogin = NonNullable<SettingsPage['logins']>[number];

export function devicesSection(page: SettingsPage, texts: Texts): HtmlValue {
  if (!page.devices) return null;
  const devices = page.devices;
  const items = devices.map((device, index) => deviceItem(page, device, index, texts));

  return html`<section class="card" aria-labelledby="devices">
    <h2 id="devices">${texts('settings.devices')}</h2>
    <p class="hint">${texts(devices.length > 0 ? 'settings.devicesText' : 'settings.noDevices')}</p>
    ${
      items.length > 0 &&
      html`<ul class="things">
        ${items}
      </ul>`
    }
    ${page.mayChange && devices.length > 1 && forgetAll(page, texts)}
  </section>`;
}

function deviceItem(page: SettingsPage, device: Device, index: number, texts: Texts): Html {
  const id = `device-${index}`;
  const since = timeSentence(page, texts('settings.trustedOn'), device.createdAt);

  return html`<li>
    <p class="things-name"><strong id="${id}">${label(device.label, texts)}</strong></p>
    <p class="hint">${since}</p>
    ${
      page.mayChange &&
      danger(page, 'forget-device', {
        summary: texts('settings.forget'),
        describedBy: id,
        hint: texts('settings.forgetEnds'),
        field: hidden('deviceId', device.deviceId),
        button: texts('settings.forgetThis'),
      })
    }
  </li>`;
}

function forgetAll(page: SettingsPage, texts: Texts): Html {
  return danger(page, 'forget-device', {
    summary: texts('settings.forgetAll'),
    describedBy: 'devices',
    hint: texts('settings.forgetEnds'),
    field: hidden('deviceId', 'all'),
    button: texts('settings.forgetAll'),
  });
}

export function loginsSection(page: SettingsPage, texts: Texts): HtmlValue {
  if (!page.logins) return null;
  const logins = page.logins;

  return html`<section class="card" aria-labelledby="logins">
    <h2 id="logins">${texts('settings.logins')}</h2>
    <p class="hint">${texts('settings.loginsText')}</p>
    <ul class="things">
      ${logins.map((login, index) => loginItem(page, login, index, texts))}
    </ul>
    ${page.mayChange && logins.some(({ isCurrent }) => !isCurrent) && endAll(page, texts)}
  </section>`;
}

function loginItem(page: SettingsPage, login: ShownLogin, index: number, texts: Texts): Html {
  const id = `login-${index}`;
  const isCurrent = html`<span class="tag">${texts('settings.isCurrent')}</span>`;

  return html`<li>
    <p class="things-name">
      <strong id="${id}">${label(login.label, texts)}</strong> ${login.isCurrent && isCurrent}
    </p>
    <p class="hint" id="${id}-times">
      ${timeSentence(page, texts('settings.loginBegan'), login.startedAt)}<br />
      ${timeSentence(page, texts('settings.loginSeen'), login.lastSeenAt)}
    </p>
    ${page.mayChange && !login.isCurrent && endLogin(page, login, id, texts)}
  </li>`;
}

function endLogin(page: SettingsPage, login: ShownLogin, id: string, texts: Texts): Html {
  return danger(page, 'end-login', {
    summary: texts('settings.endLogin'),
    describedBy: `${id} ${id}-times`,
    hint: texts('settings.endEnds'),
    field: hidden('loginId', login.loginId),
    button: texts('settings.endThis'),
  });
}

function endAll(page: SettingsPage, texts: Texts): Html {
  return danger(page, 'end-logins', {
    summary: texts('settings.endAll'),
    describedBy: 'logins',
    hint: texts('settings.endsOthers'),
    field: null,
    button: texts('settings.endAll'),
  });
}

/** Returns a label. It is made of the browser's headers and may be empty. */
function label(value: string, texts: Texts): Html {
  return html`<bdi>${value || texts('settings.unknownDevice')}</bdi>`;
}
