// A gateway that answers at once and always says yes: what is measured is the client, not the
// simulator. It speaks just the HTTP/1.1 that the clients send, bodies with a length, because
// node:http itself would be the slowest of all on its core.
import { createServer } from 'node:net';

const yes = (payload) =>
  JSON.stringify({ status_code: 200, status_message: 'OK', payload, errors: null });
const AUTH = yes({
  access_token: 'a'.repeat(40),
  refresh_token: 'r'.repeat(40),
  validity_period: 1800,
});
const VALIDATE = yes('');
const VONAGE = JSON.stringify({
  request_id: 'c11236f4-00bf-4b89-84ba-88b25df97315',
  status: 'completed',
});
const TWILIO = JSON.stringify({
  sid: 'VE'.padEnd(34, '0'),
  service_sid: 'VA'.padEnd(34, '0'),
  account_sid: 'AC'.padEnd(34, '0'),
  to: '+12025550123',
  channel: 'sms',
  status: 'approved',
  valid: true,
  amount: null,
  payee: null,
  date_created: '2026-01-30T20:00:00Z',
  date_updated: '2026-01-30T20:00:01Z',
});

let generated = 0;
let calls = 0;

function answer(path, body) {
  if (path === '/calls') return String(calls);
  if (path.startsWith('/apis/auth')) return AUTH;
  calls += 1;
  if (path.startsWith('/apis/otp/v3/validate/')) return VALIDATE;
  if (path.startsWith('/v2/verify')) return VONAGE;
  if (path.startsWith('/v2/Services/')) return TWILIO;
  generated += 1;
  const { mobile } = JSON.parse(body);
  return yes({ id: `otp-${generated}`, mobile, sender: 'Bench', validity: 300, message: '[PIN]' });
}

function toResponse(text) {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/**
 * The first whole request of a text with what comes after it, or null. Bodies are ASCII, so
 * characters are bytes.
 */
function readRequest(text) {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const head = text.slice(0, headEnd);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const end = headEnd + 4 + length;
  if (text.length < end) return null;
  return { path: head.split(' ', 2)[1], body: text.slice(headEnd + 4, end), rest: text.slice(end) };
}

const server = createServer({ noDelay: true }, (socket) => {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    text += chunk;
    for (let request = readRequest(text); request !== null; request = readRequest(text)) {
      text = request.rest;
      socket.write(toResponse(answer(request.path, request.body)));
    }
  });
  socket.on('error', () => socket.destroy());
});

server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
