import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isConsistent, rootOfLeaves, type TreeHead } from '../../src/log/merkle.ts';

/** A witness for tests, written from the text of C2SP tlog-cosignature alone and not from src. */
export interface TestWitness {
  readonly vkey: string;
  /** The signature line, with its line feed, of a checkpoint (with or without signature lines). */
  cosign(checkpoint: string, time_s: number): string;
}

const prefixes = {
  4: ['302e020100300506032b657004220420', '302a300506032b6570032100'],
  6: ['3034020100300b060960864801650304031104228020', '30820532300b06096086480165030403110382052100'],
} as const;

const uint64 = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};

function subtree(name: string, time_s: number, body: string): Buffer {
  const [origin = '', size, root = ''] = body.split('\n');
  const label = Buffer.from('737562747265652f76310a00', 'hex');
  const named = (text: string) => Buffer.concat([Buffer.of(text.length), Buffer.from(text)]);
  const tree = [uint64(0), uint64(Number(size)), Buffer.from(root, 'base64')];
  return Buffer.concat([label, named(name), uint64(time_s), named(origin), ...tree]);
}

/** A witness of a seed: type 4 signs with Ed25519, type 6 with ML-DSA-44. */
export function openWitness(name: string, type: 4 | 6, seed: number): TestWitness {
  const [before, prefix] = prefixes[type];
  const der = Buffer.concat([Buffer.from(before, 'hex'), Buffer.alloc(32, seed)]);
  const secret: KeyObject = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  const key = Buffer.concat([Buffer.of(type), spki.subarray(prefix.length / 2)]);
  const id = createHash('sha256').update(`${name}\n`).update(key).digest().subarray(0, 4);
  return {
    vkey: `${name}+${id.toString('hex')}+${key.toString('base64')}`,
    cosign(checkpoint, time_s) {
      const body = checkpoint.split('\n\n')[0] + (checkpoint.includes('\n\n') ? '\n' : '');
      const message =
        type === 4 ? Buffer.from(`cosignature/v1\ntime ${time_s}\n${body}`) : subtree(name, time_s, body);
      const signature = Buffer.concat([id, uint64(time_s), sign(null, message, secret)]);
      return `\u2014 ${name} ${signature.toString('base64')}\n`;
    },
  };
}

/** A witness over HTTP (C2SP tlog-witness), for tests that do not need its log's signature checked. */
export interface RunningWitness {
  readonly name: string;
  readonly url: string;
  /** Of Ed25519, then of ML-DSA-44. */
  readonly keys: readonly string[];
  stop(): void;
}

/** The parts of a request `add-checkpoint`. */
function readRequest(body: string) {
  const [head = '', ...rest] = body.split('\n\n');
  const [old = '', ...path] = head.split('\n');
  const checkpoint = rest.join('\n\n');
  const [origin = '', size, root = ''] = checkpoint.split('\n');
  return {
    checkpoint,
    origin,
    oldSize: Number(old.replace('old ', '')),
    path: path.map((line) => Buffer.from(line, 'base64')),
    tree: { size: Number(size), root: Buffer.from(root, 'base64') },
  };
}

/** Cosigns each tree that continues the one that it cosigned last for its log. */
export async function startWitness(name: string): Promise<RunningWitness> {
  const signers = [openWitness(`${name}.example/w`, 4, 1), openWitness(`${name}.example/w`, 6, 2)];
  const last = new Map<string, TreeHead>();
  const answer = (body: string): [status: number, body: string] => {
    const { checkpoint, origin, oldSize, path, tree } = readRequest(body);
    const known = last.get(origin) ?? { size: 0, root: rootOfLeaves([]) };
    const isOther = known.size === tree.size && !known.root.equals(tree.root);
    if (oldSize !== known.size || isOther) return [409, `${known.size}\n`];
    if (!isConsistent(known, tree, path)) return [422, 'another history\n'];
    last.set(origin, tree);
    return [200, signers.map((signer) => signer.cosign(checkpoint, Math.floor(Date.now() / 1000))).join('')];
  };
  const server = createServer(async (request, response) => {
    const [status, body] = request.url === '/add-checkpoint' ? answer(await text(request)) : [404, ''];
    response.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    name,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: signers.map(({ vkey }) => vkey),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
