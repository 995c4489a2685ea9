import type { Request } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import type { PagesOptions } from './options';
import { PAGE_LOCALES, type PageLocale } from './texts';

/**
 * Returns the function that chooses a page's locale. The locales of the pages are those of the
 * messages.
 */
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
 * Returns the supported locale for a language tag: itself, or its language alone. Chinese without a
 * script counts as simplified. Traditional Chinese is not supported.
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
