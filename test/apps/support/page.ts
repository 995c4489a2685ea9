import { noticeText, type SmsOtpStatus } from 'passport-sms-otp';

/** The fields of each form of a page, by its action. */
export type Forms = Readonly<Record<string, readonly string[]>>;

/** What a page of an app shows. */
interface Page {
  readonly title: string;
  readonly name?: string | undefined;
  readonly status?: SmsOtpStatus | undefined;
  readonly flash?: readonly string[] | undefined;
  readonly forms?: Forms | undefined;
}

/** Stands for a template. Names and notices need no escaping here. */
export function renderPage({ title, name, status, flash = [], forms = {} }: Page): string {
  const { notice = null, retryAt = null, pending = null } = status ?? {};
  const alert =
    notice === null
      ? ''
      : `<p role="alert" data-reason="${notice}">${noticeText(notice, { retryAt })}</p>`;
  return [
    `<!doctype html><html lang="en"><title>${title}</title>`,
    ...flash.map((text) => `<p class="flash">${text}</p>`),
    alert,
    name === undefined ? '' : `<p>Hello ${name}.</p>`,
    pending === null ? '' : `<p>We sent a code to ${pending.maskedPhone}.</p>`,
    ...Object.entries(forms).map(([action, fields]) => renderForm(action, fields)),
  ].join('\n');
}

function renderForm(action: string, fields: readonly string[]): string {
  const inputs = fields.map((field) => `<label>${field} <input name="${field}"></label>`).join('');
  return `<form method="post" action="${action}">${inputs}<button>Continue</button></form>`;
}
