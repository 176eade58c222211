import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** Without a loaded OpenTelemetry SDK its spans are the API's empty ones. */
const tracer = trace.getTracer('dossier');

/**
 * Runs a call of a tool in a span named `tools/call <tool>` (OpenTelemetry's conventions for MCP), where an
 * SDK is loaded; nothing of the input is recorded. `codeOf` names what went wrong: a code of the table of
 * problems.
 */
export function traceToolCall<T>(
  tool: string,
  work: () => Promise<T>,
  codeOf: (error: unknown) => string,
): Promise<T> {
  const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool };
  return tracer.startActiveSpan(`tools/call ${tool}`, { kind: SpanKind.SERVER, attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setAttribute('error.type', codeOf(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
