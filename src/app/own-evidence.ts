import type { OpenOwnEvidence } from '../audit/audit.ts';
import { createOwnEvidence, toAuditedContext } from '../audit/own.ts';
import { askApp } from '../audit/service.ts';

/** Asks an app of its own in this process, which no stranger reaches. */
export const openOwnEvidence: OpenOwnEvidence = async (context, rest) => {
  const { createApp } = await import('../http/app.ts');
  const app = createApp(toAuditedContext(context), { answerCache_bytes: 0 });
  return Object.assign(createOwnEvidence(context, askApp(app, rest)), { [Symbol.asyncDispose]: app.close });
};
