import { Problem } from '../../../problem.ts';
import { ReceiptFault } from '../../../receipt/fault.ts';

/** Awaits a check of a receipt; its fault is a problem with the same code. */
export async function asProblem<T>(check: Promise<T>): Promise<T> {
  try {
    return await check;
  } catch (error) {
    if (error instanceof ReceiptFault) throw new Problem(error.code, { detail: error.message });
    throw error;
  }
}
