import { RegistryError } from './source.ts';

const largestPage_bytes = 8 * 1024 * 1024;

/** The body as strict UTF-8, at most 8 MiB after decompression; reading stops there, so a bomb never unfolds. */
async function readText(response: Response): Promise<string> {
  const tooLarge = new RegistryError('the page is larger than 8 MiB', false);
  if (Number(response.headers.get('content-length')) > largestPage_bytes) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let read_bytes = 0;
  for await (const chunk of response.body ?? []) {
    read_bytes += chunk.byteLength;
    if (read_bytes > largestPage_bytes) throw tooLarge;
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RegistryError('the page is not UTF-8', false);
  }
}

/** Reads a JSON answer; HTML, other types, broken JSON and pages over 8 MiB are refused with RegistryError. */
export async function readJson(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    await response.body?.cancel();
    throw new RegistryError('the answer is not JSON (another kind of server, or a sign-in page)', false);
  }
  const text = await readText(response);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RegistryError('the page is not well-formed JSON, or was cut off', true);
  }
}
