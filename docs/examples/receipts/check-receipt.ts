/**
 * Checks a receipt offline, with the document of the listing that gave it:
 *
 *     curl -s https://dossier.example/agents/co.webhook/webhook.json > listing.json
 *     node check-receipt.ts <receipt> <handle of the caller that it names>
 */
import { readFileSync } from 'node:fs';
import { type PublishedKey, verifyReceipt } from 'dossier/receipt';

interface Listing {
  readonly handle: string;
  readonly claim?: { readonly receipt_keys?: readonly PublishedKey[] };
}

const [receipt = '', rater = ''] = process.argv.slice(2);
const { handle, claim } = JSON.parse(readFileSync('listing.json', 'utf8')) as Listing;
// Throws a ReceiptFault if the receipt shows nothing.
const { iss, jti, sub } = await verifyReceipt(receipt, {
  keys: claim?.receipt_keys ?? [],
  subject: handle,
  rater,
});
console.log(`${iss} confirms ${jti} with ${sub}`);
