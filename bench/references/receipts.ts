import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { createReceipts, type PrivateJwk, verifyReceipt } from '../../src/receipt/index.ts';

// Usage: node bench/references/receipts.ts <bare|receipt> <seconds>. Checks one Ed25519 signature after the other: the
// signature alone, or a whole receipt.

const [what = 'bare', seconds = '1'] = process.argv.slice(2);
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const [subject, rater, kid] = ['com.example/quotes', 'com.rater/api', '2026-11'];
const key = privateKey.export({ format: 'jwk' }) as PrivateJwk;
const { kty, crv, x = '' } = publicKey.export({ format: 'jwk' });
const keys = [{ kid, jwk: { kty: kty as 'OKP', crv: crv as 'Ed25519', x } }];
const receipt = await createReceipts({ handle: subject, kid, key }).issue(rater);
const signed = Buffer.from(receipt.slice(0, receipt.lastIndexOf('.')));
const signature = sign(null, signed, privateKey);

const checks = {
  bare: () => verify(null, signed, publicKey, signature),
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
