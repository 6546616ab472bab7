// The official Node SDK at a sandbox's address: takes one request a line as JSON, prints what it got as a line of JSON.
//
// A request is `{name, handle, params, headers}`, its name the sandbox's, as in `item_price.create`. What it got is
// `{status, body, replayed}`, an error's own attributes being its body. The arguments are the address and the API key.
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import Chargebee from 'chargebee';

const [address, apiKey] = process.argv.slice(2);
const { protocol, hostname, port, pathname } = new URL(address);
const chargebee = new Chargebee({
  site: hostname,
  hostSuffix: '',
  protocol: protocol.slice(0, -1),
  port,
  apiPath: pathname,
  apiKey,
});

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

async function answerTo({ name, handle, params, headers }) {
  const [resource, operation] = name.split('.').map(camelCase);
  const given = handle ? [handle, params, headers] : [params, headers];
  try {
    const answer = await chargebee[resource][operation](...given);
    const { httpStatusCode, isIdempotencyReplayed, headers: _, ...body } = answer;
    return { status: httpStatusCode, body, replayed: Boolean(isIdempotencyReplayed) };
  } catch (error) {
    if (!error.http_status_code) throw error;
    const { http_status_code: status, headers: received, ...body } = error;
    return { status, body, replayed: 'chargebee-idempotency-replayed' in received };
  }
}

for await (const line of createInterface({ input: stdin })) {
  stdout.write(`${JSON.stringify(await answerTo(JSON.parse(line)))}\n`);
}
