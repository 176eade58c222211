import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A change as it was posted. */
export interface Posted {
  readonly id: string;
  readonly seq: number;
  readonly type: string;
  readonly handle: string;
}

/**
 * An address of webhooks on loopback: it answers challenges, and changes as `answer` says (204 by default).
 */
export interface Receiver {
  readonly url: string;
  /** Changes whose signature the package accepted, in the order of their arrival. */
  readonly posted: Posted[];
  /** Every request as it came. */
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly body: string }[];
  /** Checks signatures with this secret from now on. */
  secret: string;
  answer: (posted: Posted, response: ServerResponse) => void | Promise<void>;
  close(): Promise<void>;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Starts a receiver; on a port of an earlier one if that is given. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const body = await read(request);
    const { headers } = request;
    receiver.requests.push({ headers, body });
    const message = JSON.parse(body) as { type: string; challenge?: string } & Posted;
    if (message.type === 'webhook.challenge') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ challenge: message.challenge }));
      return;
    }
    try {
      new Webhook(receiver.secret).verify(body, headers as Record<string, string>);
    } catch (error) {
      response.writeHead(400).end(String(error));
      return;
    }
    const { seq, type, handle } = message;
    const posted = { id: String(headers['webhook-id']), seq, type, handle };
    receiver.posted.push(posted);
    void receiver.answer(posted, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posted: [],
    requests: [],
    secret: '',
    answer: (_posted, response) => void response.writeHead(204).end(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
