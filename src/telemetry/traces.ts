import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** Without a loaded OpenTelemetry SDK, the API's spans are empty. */
const tracer = trace.getTracer('dossier');

/**
 * Runs a tool call in a span with the name and attributes of OpenTelemetry's conventions for MCP. Nothing of
 * the input is recorded.
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
