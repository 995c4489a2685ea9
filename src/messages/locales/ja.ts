import type { LocaleTexts } from '../locale-texts';

// Sent as UCS-2, 70 units: the bound texts leave the minutes out, and of transactions the name; the last line has the host.
export const ja: LocaleTexts = {
  opening: '【{name}】',
  plain: {
    login: '{app}ログインコードは[PIN]です。{min}分間有効。他人に教えないでください。',
    'step-up': '{app}確認コードは[PIN]です。{min}分間有効。他人に教えないでください。',
    transaction: '{app}{payee}への{amount}の承認コードは[PIN]です。他人に教えないでください。',
    enrol: '{app}電話番号の確認コードは[PIN]です。{min}分間有効。他人に教えないでください。',
    'short-transaction': '{app}[PIN] {payee}へ{amount}',
  },
  bound: {
    login: '{app}ログインコードは下にあります。他人に教えないでください。',
    'step-up': '{app}確認コードは下にあります。他人に教えないでください。',
    transaction: '{payee}へ{amount}。コードは下にあります。',
    enrol: '{app}番号確認コードは下にあります。他人に教えないでください。',
    'short-transaction': '{payee}へ{amount}',
  },
};
