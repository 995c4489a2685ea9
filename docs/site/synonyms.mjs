/** Words that people search for and a page does not use. The search finds the page by them. */
export const SYNONYMS = {
  'CHANGELOG.md': 'release notes history upgrade',
  'SECURITY.md': 'report vulnerability CVE disclosure contact',
  'docs/add-to-your-app.md':
    'existing app migrate integrate req.user req.login isAuthenticated already logged in old sessions',
  'docs/api.md': 'exports imports entry points methods functions signature',
  'docs/audit/guarantees.md':
    'race concurrency refund atomic once guarantees left after forgetUser',
  'docs/audit/standards.md': 'compliance OWASP ASVS NIST 800-63B PSD2 PCI audit checklist',
  'docs/audit/threats.md':
    'attacker threat model SS7 phishing SIM swap brute force security review',
  'docs/behind-a-proxy.md':
    'nginx nginx.conf Cloudflare Heroku load balancer AWS ELB Azure reverse proxy trust proxy X-Forwarded-For real IP per IP client address',
  'docs/command-line.md': 'CLI npx doctor terminal balance price list commands',
  'docs/faq.md':
    'Prisma Drizzle Mongoose MongoDB MySQL MariaDB Docker serverless Vercel Lambda email email-code email-OTP codes by email email instead of SMS WhatsApp voice call passwordless log in login with phone number only phone-only login docker compose Dockerfile container',
  'docs/fraud-and-cost.md':
    'price expensive bill budget bots SMS pumping toll fraud AIT artificially inflated traffic attack costs money cap worst case country block premium numbers',
  'docs/go-live.md':
    'deploy deployment production checklist before launch release secrets environment variables',
  'docs/help-desk.md':
    'support customer service lost phone user lost phone new phone locked out unlock reset 2FA user complaint GDPR delete a user erase data export data no message arrived',
  'docs/how-it-works.md':
    'architecture sequence flow diagram what is stored about a user session data pending login mark',
  'docs/leaving-text-messages.md':
    'stop SMS phase out passkeys instead of SMS weak restricted replace',
  'docs/messages.md':
    'change the text of the message wording SMS content template sender language translation locale i18n length segments autofill WebOTP',
  'docs/monitoring.md':
    'observability logging events metrics Prometheus Grafana OpenTelemetry tracing alerts dashboard',
  'docs/options.md':
    'configuration settings defaults createSmsOtp how long is a code valid validity expiry lifetime seconds rate limit rate limiting attempts resend gap lockout',
  'docs/other-factors.md':
    'TOTP authenticator app Google Authenticator WebAuthn passkey backup method MFA 2FA',
  'docs/pages.md':
    'UI views templates EJS HTML form styling CSS theme logo translations pending attemptsLeft remaining attempts CSRF noticeText flash code page React',
  'docs/phone-numbers.md':
    'enroll enrollment change number add phone E.164 format phone book verify number ported new number',
  'docs/providers.md':
    'Twilio Vonage MessageBird Sinch AWS SNS Plivo own SMS provider gateway sendSms API keep provider switch',
  'docs/quick-start.md':
    'getting started tutorial install hello world example begin TypeScript type req.user Express.User first login',
  'docs/recipes/balance-watch.md': 'balance low credit top up alert',
  'docs/recipes/consent.md': 'opt-in TCPA GDPR consent record terms',
  'docs/recipes/custom-callback.md': 'passport.authenticate callback flash JSON errors',
  'docs/recipes/express-4.md': 'express 4 async handlers version',
  'docs/recipes/failover.md': 'fallback second provider backup gateway redundancy',
  'docs/recipes/graphql.md': 'Apollo Yoga resolvers context',
  'docs/recipes/hlr-sim-swap.md': 'SIM swap HLR lookup IMSI ported',
  'docs/recipes/jwt.md': 'token API bearer stateless passport-jwt access token refresh token',
  'docs/recipes/log-in-as.md': 'impersonate impersonation support staff admin view',
  'docs/recipes/mandatory-from.md': 'force enforce 2FA deadline grace period require everyone',
  'docs/recipes/native-app.md': 'mobile app iOS Android React Native Flutter no cookies header',
  'docs/recipes/nestjs.md': 'Nest guards module decorator AuthGuard',
  'docs/recipes/oidc-provider.md': 'SSO identity provider acr_values max_age prompt OAuth server',
  'docs/recipes/openid-connect.md':
    'Google login GitHub social login OAuth SSO Keycloak Auth0 Azure AD',
  'docs/recipes/own-password.md': 'bcrypt argon2 without passport-local custom password check',
  'docs/recipes/passkeys.md': 'WebAuthn FIDO2 security key YubiKey Face ID Touch ID',
  'docs/recipes/password-reset.md': 'forgot password forgotten password reset link',
  'docs/recipes/phone-book.md': 'database table numbers storage PostgreSQL',
  'docs/recipes/remember-me.md': 'stay logged in persistent login cookie',
  'docs/recipes/sign-up.md': 'register registration new account onboarding verify phone',
  'docs/recipes/single-page-app.md': 'SPA React Vue Angular Next fetch JSON API CSRF token',
  'docs/recipes/sockets.md': 'WebSocket socket.io ws realtime subscriptions',
  'docs/recipes/sqlite-store.md': 'SQLite node:sqlite single server file database',
  'docs/recipes/email-code.md': 'e-mail mail mailbox',
  'docs/recipes/stop-replies.md': 'STOP opt-out unsubscribe blocked sender 21610',
  'docs/recipes/transaction.md': 'payment transfer PSD2 dynamic linking amount payee approve',
  'docs/recipes/twilio-verify.md': 'Twilio Verify service SID',
  'docs/recipes/two-apps-one-redis.md': 'shared Redis key prefix several apps multi-tenant',
  'docs/recipes/vonage-verify.md': 'Vonage Nexmo Verify v2',
  'docs/recovery-codes.md': 'backup codes emergency codes scratch codes lost phone lost device',
  'docs/roll-out.md':
    'migration existing users force 2FA for admins only some users isRequiredFor optional gradual passport-totp mandatory staged',
  'docs/scaling.md':
    'Redis down outage cluster Sentinel PostgreSQL multiple processes pm2 Kubernetes performance capacity store memoryStore database tables',
  'docs/sessions.md':
    'log out everywhere revoke active sessions where you are logged in session cookie logout devices list sign out',
  'docs/step-up.md':
    're-authenticate sudo mode confirm again sensitive action payment maxAgeSeconds transaction',
  'docs/test-your-own-app.md': 'pentest audit security test holes appChecks scanner attack',
  'docs/testing.md':
    'CI unit test end-to-end Jest Playwright Cypress mock simulator fake without sending messages read the code',
  'docs/troubleshooting.md':
    'error fix problem not working message not arriving no SMS received delayed redirect loop too many redirects warning no message code refused cookie secure',
  'docs/trusted-devices.md':
    'remember me remember this device remember device skip code 30 days known browser trusted browser don’t ask again',
  'docs/versioning.md':
    'upgrade update semver breaking changes supported Node versions compatibility',
  'docs/writing-a-store.md': 'custom store MySQL MongoDB DynamoDB own database adapter contract',
};
