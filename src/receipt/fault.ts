/** Why a receipt shows nothing; the codes are those of submit_rating (docs/receipts.md). */
export type ReceiptFaultCode =
  | 'proof_invalid'
  | 'proof_key_unknown'
  | 'proof_not_yours'
  | 'proof_wrong_subject';

/** A receipt that shows nothing. The message is a sentence of ours, without any text of the receipt. */
export class ReceiptFault extends Error {
  readonly code: ReceiptFaultCode;

  constructor(code: ReceiptFaultCode, message: string) {
    super(message);
    this.name = 'ReceiptFault';
    this.code = code;
  }
}
