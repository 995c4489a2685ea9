import type { Request } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import type { PagesOptions } from './options';
import { PAGE_LOCALES, type PageLocale } from './texts';

/** Makes the choice of a page's locale. The locales of the messages are those of the pages. */
export function createLocaleChoice(
  smsOtp: Pick<SmsOtp, 'settings'>,
  option: PagesOptions['locale'],
): (req: Request) => PageLocale {
  const served = smsOtp.settings.locales.filter(isPageLocale);
  const [standard = 'en'] = served;

  return function chooseLocale(req) {
    if (typeof option === 'string') return option;
    const own = option?.(req);
    const wanted = own ? [own] : req.acceptsLanguages();
    const found = wanted.map((tag) => findLocale(tag, served)).find((one) => one !== undefined);
    return found ?? standard;
  };
}

function isPageLocale(tag: string): tag is PageLocale {
  return PAGE_LOCALES.some((locale) => locale === tag);
}

/**
 * Returns the served locale of a language tag: itself, or its language alone. Chinese without a
 * script is read as simplified, and as nothing of ours where it is traditional.
 *
 * @example findLocale('de-AT', ['en', 'de']) is 'de'.
 */
function findLocale(tag: string, served: readonly PageLocale[]): PageLocale | undefined {
  const [language = '', ...rest] = tag.toLowerCase().split('-');
  if (language === 'zh') {
    const isTraditional = ['hant', 'tw', 'hk', 'mo'].some((part) => rest.includes(part));
    return isTraditional ? undefined : served.find((locale) => locale === 'zh-Hans');
  }
  return served.find((locale) => locale === language);
}
