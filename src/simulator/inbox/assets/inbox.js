/* Inserts messages as text, never as markup. */
const MAX_BUBBLES = 200;
const recipients = document.getElementById('recipients');
const threads = document.getElementById('threads');
const empty = document.getElementById('empty');
const newest = document.getElementById('newest');
const newestLabel = document.getElementById('newest-label');
const newestCode = document.getElementById('newest-code');
const copyButton = document.getElementById('copy');
const copied = document.getElementById('copied');
const connection = document.getElementById('connection');
const clock = document.getElementById('clock');

/** The tab and the thread of each recipient. */
const byMobile = new Map();

function create(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function showMobile(mobile) {
  return mobile.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '+1 $1 $2 $3');
}

function showTime(milliseconds) {
  return new Date(milliseconds).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

function findConversation(mobile) {
  const known = byMobile.get(mobile);
  if (known) return known;
  const tab = create('button', 'recipient', showMobile(mobile));
  const thread = create('ol', 'thread');
  const log = create('div', 'log');
  tab.type = 'button';
  tab.addEventListener('click', () => select(mobile));
  log.setAttribute('role', 'log');
  log.setAttribute('aria-live', 'polite');
  log.setAttribute('aria-label', 'Messages to ' + showMobile(mobile));
  log.tabIndex = 0;
  log.hidden = true;
  log.append(thread);
  recipients.append(tab);
  threads.append(log);
  const conversation = { tab, log, thread };
  byMobile.set(mobile, conversation);
  return conversation;
}

function select(mobile) {
  findConversation(mobile);
  for (const [other, { tab, log }] of byMobile) {
    const isSelected = other === mobile;
    log.hidden = !isSelected;
    if (isSelected) tab.setAttribute('aria-current', 'true');
    else tab.removeAttribute('aria-current');
  }
  const { tab, log } = byMobile.get(mobile);
  tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  log.scrollTop = log.scrollHeight;
}

function fillText(bubble, { text, pin }) {
  // An empty code would be found between any two characters.
  const parts = pin === '' ? [text] : text.split(pin);
  parts.forEach((part, index) => {
    if (index > 0) {
      const code = create('button', 'code', pin);
      code.type = 'button';
      code.setAttribute('aria-label', 'Copy code ' + pin);
      code.addEventListener('click', () => copy(pin, code));
      bubble.append(code);
    }
    bubble.append(part);
  });
}

function append(message) {
  const { thread, log } = findConversation(message.mobile);
  const item = create('li', 'message');
  const meta = create('p', 'meta');
  const sentAt = create('time', '', showTime(message.sentAt));
  sentAt.dateTime = new Date(message.sentAt).toISOString();
  meta.append(create('span', 'sender', message.sender), sentAt);
  const bubble = create('p', 'bubble');
  // Phones also choose the direction of a message by its first strong letter.
  bubble.dir = 'auto';
  fillText(bubble, message);
  item.append(meta, bubble);
  thread.append(item);
  if (thread.childElementCount > MAX_BUBBLES) thread.firstElementChild.remove();
  log.scrollTop = log.scrollHeight;
  empty.hidden = true;
  return item;
}

function showNewest({ pin, mobile }) {
  // Keep the newest code if this message has none.
  if (pin === '') return;
  newest.hidden = false;
  newestLabel.textContent = 'Code for ' + showMobile(mobile);
  newestCode.textContent = pin;
  document.title = pin + ' - Inbox';
}

async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code);
  } catch {
    // Without permission to use the clipboard, select the code at least.
    getSelection().selectAllChildren(button === copyButton ? newestCode : button);
    copied.textContent = 'The code is selected.';
    return;
  }
  copied.textContent = 'Code copied';
  button.classList.add('is-copied');
  if (button === copyButton) button.textContent = 'Copied';
  setTimeout(() => {
    button.classList.remove('is-copied');
    if (button === copyButton) button.textContent = 'Copy code';
    copied.textContent = '';
  }, 1600);
}

function showSnapshot(messages) {
  for (const { tab, log } of byMobile.values()) {
    tab.remove();
    log.remove();
  }
  byMobile.clear();
  empty.hidden = messages.length > 0;
  newest.hidden = true;
  messages.forEach(append);
  const last = messages[messages.length - 1];
  if (!last) return;
  select(last.mobile);
  messages.forEach(showNewest);
}

function receive(message) {
  select(message.mobile);
  showNewest(message);
  // Make the log visible before the message is inserted: otherwise a screen reader does not
  // announce it.
  setTimeout(() => append(message).classList.add('is-new'), 50);
}

function showConnection(state, text) {
  connection.dataset.state = state;
  connection.textContent = text;
}

const events = new EventSource('/inbox/events');
events.addEventListener('open', () => showConnection('live', 'Live'));
events.addEventListener('error', () => showConnection('lost', 'Not connected, trying again'));
events.addEventListener('snapshot', ({ data }) => showSnapshot(JSON.parse(data)));
events.addEventListener('message', ({ data }) => receive(JSON.parse(data)));
copyButton.addEventListener('click', () => copy(newestCode.textContent, copyButton));

document.getElementById('address').textContent = location.origin;

function tick() {
  clock.textContent = showTime(Date.now());
}
tick();
setInterval(tick, 5000);
