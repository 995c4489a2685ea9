// A gateway that answers at once and always says yes: what is measured is the client, not the simulator.
import { createServer } from 'node:http';

const yes = (payload) => JSON.stringify({ status_code: 200, status_message: 'OK', payload, errors: null });
const AUTH = yes({ access_token: 'a'.repeat(40), refresh_token: 'r'.repeat(40), validity_period: 1800 });
const VALIDATE = yes('');
const VONAGE = JSON.stringify({ request_id: 'c11236f4-00bf-4b89-84ba-88b25df97315', status: 'completed' });
const TWILIO = JSON.stringify({ sid: 'VE1', status: 'approved', valid: true });

let generated = 0;
let calls = 0;

function answer(path, body) {
  if (path.startsWith('/apis/auth')) return AUTH;
  if (path.startsWith('/apis/otp/v3/validate/')) return VALIDATE;
  if (path.startsWith('/v2/verify')) return VONAGE;
  if (path.startsWith('/twilio')) return TWILIO;
  generated += 1;
  const { mobile } = JSON.parse(body);
  return yes({ id: `otp-${generated}`, mobile, sender: 'Bench', validity: 300, message: '[PIN]' });
}

const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
  if (req.url === '/calls') return res.end(String(calls));
  if (!req.url.startsWith('/apis/auth')) calls += 1;
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const text = answer(req.url, Buffer.concat(chunks).toString());
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    res.end(text);
  });
});

server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
