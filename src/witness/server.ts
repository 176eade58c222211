import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Witness, WitnessAnswer } from './witness.ts';

const longestBody_bytes = 128 * 1024;
const plain = 'text/plain; charset=utf-8';

/** The body of a request as text; undefined if it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > longestBody_bytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

async function answer(witness: Witness, request: IncomingMessage): Promise<WitnessAnswer> {
  const { method, url = '' } = request;
  if (method === 'POST' && url === '/add-checkpoint') {
    const body = await readBody(request);
    return body === undefined
      ? { status: 413, contentType: plain, body: 'at most 128 KiB\n' }
      : witness.addCheckpoint(body);
  }
  const hash = /^\/([0-9a-f]{64})\/checkpoint$/.exec(url)?.[1];
  if (method === 'GET' && hash !== undefined) return witness.checkpoint(hash);
  return { status: 404, contentType: plain, body: 'POST /add-checkpoint or GET /<origin hash>/checkpoint\n' };
}

/** Serves a witness over HTTP; what it cannot do is answered 500 and passed to `onError`. */
export function createWitnessServer(witness: Witness, onError: (error: unknown) => void): Server {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const { status, contentType, body } = await answer(witness, request);
      response.writeHead(status, { 'Content-Type': contentType }).end(body);
    } catch (error) {
      onError(error);
      response.writeHead(500, { 'Content-Type': plain }).end('the witness could not store its state\n');
    }
  };
  return createServer({ requestTimeout: 10_000, headersTimeout: 5000 }, (request, response) => {
    void serve(request, response);
  });
}
