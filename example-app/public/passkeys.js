// Adds passkeys with the browser's own API: JSON from the server in, JSON for the server out.
if ('PublicKeyCredential' in window) {
  for (const element of document.querySelectorAll('[data-passkey], [data-passkey-offer]'))
    element.hidden = false;
  for (const element of document.querySelectorAll('[data-passkey-missing]')) element.hidden = true;
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    const show = (name) => {
      for (const notice of form.querySelectorAll('.notice'))
        notice.hidden = !(name in notice.dataset);
      button.disabled = name === 'none';
    };
    show('none');
    try {
      const body = new URLSearchParams({ _csrf: form.elements._csrf.value });
      const answer = await fetch('/settings/passkeys/options', { method: 'POST', body });
      // That page gives the reason: the login has ended, or the last confirmation is too old.
      if (!answer.ok || answer.redirected) return window.location.assign('/settings');
      form.elements.credential.value = JSON.stringify(await createPasskey(await answer.json()));
      form.submit();
    } catch (error) {
      // The user cancelled, the time was over, or this device already has a passkey for the
      // account.
      show(error.name === 'InvalidStateError' ? 'passkeyKnown' : 'passkeyFailed');
    }
  });
}

/** Creates a passkey and returns the response. */
async function createPasskey(options) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON?.(options) ?? {
    ...options,
    challenge: toBytes(options.challenge),
    user: { ...options.user, id: toBytes(options.user.id) },
    excludeCredentials: options.excludeCredentials.map((known) => ({
      ...known,
      id: toBytes(known.id),
    })),
  };
  const credential = await navigator.credentials.create({ publicKey });
  try {
    return credential.toJSON();
  } catch {
    // Some browsers and password managers do not have this function.
    const { id, type, response } = credential;
    const { clientDataJSON, attestationObject } = response;
    return {
      ...{ id, rawId: id, type, clientExtensionResults: {} },
      response: {
        clientDataJSON: toText(clientDataJSON),
        attestationObject: toText(attestationObject),
        transports: response.getTransports?.() ?? [],
      },
    };
  }
}

function toBytes(base64url) {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function toText(buffer) {
  const text = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
