import { raw } from './html';
import { layout } from './layout';
import type { Look, Page } from './page';
import { createTexts, type Texts } from './texts';
import { addNumberView } from './views/add-number';
import { codeView } from './views/code';
import { factorView } from './views/factor';
import { messageView } from './views/message';
import { otherWaysView } from './views/other-ways';
import { recoveryCodeView } from './views/recovery-code';
import { recoveryCodesView } from './views/recovery-codes';
import { settingsView } from './views/settings';
import { stepUpView } from './views/step-up';
import type { View } from './views/view';

/**
 * Renders a page as a document.
 *
 * @param body HTML of the app that replaces the page's own body, unchanged.
 */
export function renderPage(page: Page, look: Look, body?: string): string {
  const texts = createTexts(page.locale, look.texts);
  const own = viewOf(page, texts);
  const view = body === undefined ? own : { ...own, body: raw(body) };
  return layout(page, look, view, texts).toString();
}

/** Renders title and body of a page, for an app with its own layout. */
export function renderBody(
  page: Page,
  look: Look,
): { readonly title: string; readonly body: string } {
  const view = viewOf(page, createTexts(page.locale, look.texts));
  return { title: view.title, body: view.body.toString() };
}

function viewOf(page: Page, texts: Texts): View {
  switch (page.name) {
    case 'code':
      return codeView(page, texts);
    case 'other-ways':
      return otherWaysView(page, texts);
    case 'recovery-code':
      return recoveryCodeView(page, texts);
    case 'factor':
      return factorView(page, texts);
    case 'step-up':
      return stepUpView(page, texts);
    case 'add-number':
      return addNumberView(page, texts);
    case 'settings':
      return settingsView(page, texts);
    case 'recovery-codes':
      return recoveryCodesView(page, texts);
    case 'message':
      return messageView(page, texts);
  }
}
