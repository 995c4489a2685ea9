import { createPasskey, getPasskey } from './webauthn.js';

// Pages say that a passkey cannot be used, until it is known that it can.
if ('PublicKeyCredential' in window) {
  for (const element of document.querySelectorAll('[data-passkey], [data-passkey-offer]'))
    element.hidden = false;
  for (const element of document.querySelectorAll('[data-passkey-missing]')) element.hidden = true;
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { passkey, options, refused } = form.dataset;
    const button = form.querySelector('button');
    const show = (name) => {
      for (const notice of form.querySelectorAll('.notice'))
        notice.hidden = !(name in notice.dataset);
      button.disabled = name === 'none';
    };
    show('none');
    try {
      const body = new URLSearchParams({ _csrf: form.elements._csrf.value });
      const answer = await fetch(options, { method: 'POST', body });
      // That page says why: the login has ended, or the last confirmation is too old.
      if (!answer.ok || answer.redirected) return window.location.assign(refused);
      const ask = passkey === 'create' ? createPasskey : getPasskey;
      form.elements.credential.value = JSON.stringify(await ask(await answer.json()));
      form.submit();
    } catch (error) {
      // Cancelled, timed out, or without a passkey for this site; a device makes one for each
      // account.
      show(
        error.name === 'InvalidStateError' && form.querySelector('[data-passkey-known]')
          ? 'passkeyKnown'
          : 'passkeyFailed',
      );
    }
  });
}
