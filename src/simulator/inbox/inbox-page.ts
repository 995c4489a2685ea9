import type { Variant } from '../../protocol/paths';

/** Returns the page as it is served; the script inserts the messages. */
export function renderInboxPage(variant: Variant): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Inbox</title>
<link rel="icon" href="/inbox/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/inbox/inbox.css">
<script type="module" src="/inbox/inbox.js"></script>
</head>
<body>
<main class="page">
  <header class="intro">
    <h1>Inbox</h1>
    <p class="lead">Every text message the simulated gateway sends lands here. Nothing leaves this machine, and no
      message costs anything.</p>
    <dl class="facts">
      <div><dt>Gateway address</dt><dd id="address"></dd></div>
      <div><dt>Interface</dt><dd>Variant ${variant}, with number lookup</dd></div>
    </dl>
    <p class="connection" id="connection" role="status" data-state="connecting">Connecting</p>
    <noscript><p class="notice">The messages need JavaScript to arrive. They are also at
      <a href="/inbox/messages">/inbox/messages</a> as JSON.</p></noscript>
  </header>
  <section class="phone" aria-label="Phone">
    <div class="screen">
      <div class="status-bar" aria-hidden="true">
        <span id="clock">9:41</span>
        <span class="island"></span>
        <span class="signals"><i class="bars"></i><i class="battery"></i></span>
      </div>
      <div class="contact">
        <h2>Messages</h2>
        <nav class="recipients" id="recipients" aria-label="Recipients"></nav>
      </div>
      <div class="threads" id="threads">
        <div class="empty" id="empty">
          <span class="empty-bubble" aria-hidden="true"><i></i><i></i><i></i></span>
          <p class="empty-title">No messages yet</p>
          <p>Log in to your app. The code appears here the moment it is sent.</p>
        </div>
      </div>
      <div class="newest" id="newest" hidden>
        <p class="newest-label" id="newest-label">Newest code</p>
        <p class="newest-code" id="newest-code"></p>
        <button class="copy" id="copy" type="button">Copy code</button>
      </div>
      <div class="home-bar" aria-hidden="true"></div>
    </div>
  </section>
  <p class="visually-hidden" id="copied" role="status"></p>
</main>
</body>
</html>
`;
}
