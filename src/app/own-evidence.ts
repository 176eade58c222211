import type { OpenOwnEvidence } from '../audit/audit.ts';
import { createOwnEvidence, toAuditedContext } from '../audit/own.ts';
import { askApp } from '../audit/service.ts';

/** Asks an app of its own in this process, which no stranger reaches. */
export const openOwnEvidence: OpenOwnEvidence = async (context, rest) => {
  const { createApp } = await import('../http/app.ts');
  const { audited, readAgain } = toAuditedContext(context);
  const app = createApp(audited, { answerCache_bytes: 0 });
  const reader = createOwnEvidence(context, askApp(app, rest), readAgain);
  return Object.assign(reader, { [Symbol.asyncDispose]: app.close });
};
