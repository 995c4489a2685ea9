import { html } from '../html';
import type { MessagePage } from '../page';
import type { Texts } from '../texts';
import { link, notice } from './parts';
import type { View } from './view';

/** Returns a page with one message and a link. */
export function messageView(page: MessagePage, texts: Texts): View {
  const title = texts(`message.${page.message}.title`);
  const body = html`<div class="card">
    <h1>${title}</h1>
    ${notice(page) ?? html`<p>${texts(`message.${page.message}`)}</p>`}
    <p class="actions">${link(page.link.href, texts(`message.to.${page.link.to}`))}</p>
  </div>`;
  return { title, body };
}
