export { smsOtpPages } from './router';
export type { CsrfOption, PageLayout, PagesOptions, Replacement } from './options';
export type * from './page';
export type { PageLocale, PageTexts, TextKey } from './texts';
