import { generateKeyPairSync, sign } from 'node:crypto';
import {
  createReceipts,
  type PrivateJwk,
  parseReceiptKeys,
  toReceiptKeyLine,
  verifyReceipt,
} from '../../src/receipt/index.ts';

// Usage: node bench/references/receipts.ts <bare|receipt> <seconds>. Checks one Ed25519 signature after the
// other: the signature alone, or a whole receipt.

const [what = 'bare', seconds = '1'] = process.argv.slice(2);
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const subject = 'com.example/quotes';
const rater = 'com.rater/api';
const kid = '2026-11';
const key = privateKey.export({ format: 'jwk' }) as PrivateJwk;
const keys = parseReceiptKeys(toReceiptKeyLine(kid, key));
const receipt = await createReceipts({ handle: subject, kid, key }).issue(rater);
const signed = Buffer.from(receipt.slice(0, receipt.lastIndexOf('.')));
const signature = sign(null, signed, privateKey);

const publicJwk = publicKey.export({ format: 'jwk' });
const bareKey = await crypto.subtle.importKey('jwk', publicJwk, 'Ed25519', false, ['verify']);
const checks = {
  bare: () => crypto.subtle.verify('Ed25519', bareKey, signature, signed),
  receipt: () => verifyReceipt(receipt, { keys, subject, rater }),
} as const;
const check = checks[what as keyof typeof checks];
let checked = 0;
const started = performance.now();
while (performance.now() - started < Number(seconds) * 1000) {
  if (!(await check())) throw new Error('the signature is not valid');
  checked += 1;
}
process.stdout.write(JSON.stringify({ rate: (checked * 1000) / (performance.now() - started) }));
