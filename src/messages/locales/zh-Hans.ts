import type { LocaleTexts } from '../locale-texts';

// Sent as UCS-2, 70 units: the bound text of a transaction leaves the name out; the last line has the host.
export const zhHans: LocaleTexts = {
  opening: '【{name}】',
  plain: {
    login: '{app}登录验证码：[PIN]，{min}分钟内有效。请勿告知他人。',
    'step-up': '{app}身份验证码：[PIN]，{min}分钟内有效。请勿告知他人。',
    transaction: '{app}向{payee}付款{amount}的验证码：[PIN]。请勿告知他人。',
    enrol: '{app}绑定手机验证码：[PIN]，{min}分钟内有效。请勿告知他人。',
    'short-transaction': '{app}[PIN] 向{payee}付款{amount}',
  },
  bound: {
    login: '{app}登录验证码见末行，{min}分钟内有效。请勿告知他人。',
    'step-up': '{app}身份验证码见末行，{min}分钟内有效。请勿告知他人。',
    transaction: '向{payee}付款{amount}，验证码见末行。请勿告知他人。',
    enrol: '{app}绑定手机验证码见末行，{min}分钟内有效。请勿告知他人。',
    'short-transaction': '向{payee}付款{amount}',
  },
};
