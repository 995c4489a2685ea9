/** What to do when no connection came about, by the platform's code. */
export function adviseOnCause(code: string | null): string {
  if (code === 'ECONNREFUSED') return 'Nothing listens there. Look at host and port in SMS_OTP_BASE_URL.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return 'The name has no address. Look at the host in SMS_OTP_BASE_URL, and at the DNS of this machine.';
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'The certificate is for another name. Set SMS_OTP_BASE_URL to the host name it was made for.';
  }
  if (code === 'CERT_HAS_EXPIRED')
    return "The certificate has expired. The gateway's operator has to renew it.";
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO') {
    return 'It does not speak TLS there. Look at the port in SMS_OTP_BASE_URL.';
  }
  if (code !== null && /SELF_SIGNED|UNABLE_TO/.test(code)) {
    return 'Nobody this machine trusts vouches for the certificate. Give its authority with --ca <file>.';
  }
  return 'Look at SMS_OTP_BASE_URL, and whether a firewall or a proxy stands between here and the gateway.';
}
