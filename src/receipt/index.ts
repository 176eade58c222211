// biome-ignore-all lint/performance/noBarrelFile: this is what the package exports as dossier/receipt
export { ReceiptFault, type ReceiptFaultCode } from './fault.ts';
export { parseReceiptKeys, toReceiptKeyLine } from './key-line.ts';
export type { PublicJwk, PublishedKey } from './published-key.ts';
export { createReceiptKey, createReceipts, type PrivateJwk, type Receipts } from './receipts.ts';
export { type ExpectedReceipt, type Receipt, verifyReceipt } from './verify.ts';
