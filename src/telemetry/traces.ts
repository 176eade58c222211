import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** Its spans are empty without an OpenTelemetry SDK. */
const tracer = trace.getTracer('dossier');

/** By OpenTelemetry's conventions for MCP, without anything of the input. */
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
