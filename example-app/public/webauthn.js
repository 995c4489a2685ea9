// Passkeys through the browser's own API: JSON from the server in, JSON for the server out. No
// package is needed.

/** Asks for a passkey of the options' list, and returns the response. */
export async function getPasskey(options) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON?.(options) ?? {
    ...options,
    challenge: toBytes(options.challenge),
    allowCredentials: options.allowCredentials.map(toDescriptor),
  };
  return toJson(await navigator.credentials.get({ publicKey }));
}

/** Makes a passkey, and returns the response. */
export async function createPasskey(options) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON?.(options) ?? {
    ...options,
    challenge: toBytes(options.challenge),
    user: { ...options.user, id: toBytes(options.user.id) },
    excludeCredentials: options.excludeCredentials.map(toDescriptor),
  };
  return toJson(await navigator.credentials.create({ publicKey }));
}

function toDescriptor(credential) {
  return { ...credential, id: toBytes(credential.id) };
}

/** What `credential.toJSON` returns, for browsers and password managers that lack it. */
function toJson(credential) {
  try {
    return credential.toJSON();
  } catch {
    const { id, type, response } = credential;
    const bytes = [
      'clientDataJSON',
      'attestationObject',
      'authenticatorData',
      'signature',
      'userHandle',
    ];
    const found = bytes
      .filter((name) => response[name])
      .map((name) => [name, toText(response[name])]);
    const transports = response.getTransports?.() ?? [];
    return {
      id,
      rawId: id,
      type,
      clientExtensionResults: {},
      response: { ...Object.fromEntries(found), transports },
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
