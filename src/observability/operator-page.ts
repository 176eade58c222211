import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A page that only the operator reads: the token that a request must send as bearer, and the page as HTML. */
export interface OperatorPage {
  readonly token: string;
  /** Reads the page anew. */
  read(): Promise<string>;
}

const digest = (text: string) => createHash('sha256').update(text).digest();

const isOperator = ({ headers }: IncomingMessage, token: string): boolean =>
  timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));

/** Answers with the operator's page; 401 without its token. */
export async function answerOperator(
  request: IncomingMessage,
  response: ServerResponse,
  { token, read }: OperatorPage,
): Promise<void> {
  if (!isOperator(request, token))
    return void response
      .writeHead(401, { 'www-authenticate': 'Bearer realm="operator"' })
      .end('Send OPERATOR_TOKEN as Authorization: Bearer.\n');
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  };
  response.writeHead(200, headers).end(await read());
}
