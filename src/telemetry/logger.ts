import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config/config.ts';
import { maskCapabilities } from '../core/capability.ts';

const standardError = 2;
const longestWait_ms = 100;
/** What waits while the file behind the log takes nothing; further lines are dropped. */
const longestBacklog_chars = 1_000_000;

/** Writes lines together, at most a tenth of a second late: each on its own would cost a system call. */
function createSink(): DestinationStream {
  const sink = pino.destination({
    fd: standardError,
    // Asynchronous writes go through another thread, which costs more than they do.
    sync: true,
    minLength: 4096,
    maxLength: longestBacklog_chars,
    periodicFlush: longestWait_ms,
  });
  // Without a listener a full disk under the log would end the process. Lines that cannot be written are lost.
  sink.on('error', () => undefined);
  // flushSync() of the library tries for ever where there is no room; end() tries once.
  process.on('exit', () => sink.end());
  return sink;
}

/** The time of a line as pino writes it; formatting it once a millisecond saves a quarter of a line's cost. */
function createTimestamp(): () => string {
  let formatted_ms = 0;
  let text = '';
  return () => {
    const now_ms = Date.now();
    if (now_ms !== formatted_ms) text = `,"time":"${new Date(now_ms).toISOString()}"`;
    formatted_ms = now_ms;
    return text;
  };
}

/** The process log. Lines go to stderr, so that stdio MCP has stdout to itself; capabilities in them are masked. */
export function createLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  if (config.logLevel === 'silent') return pino({ level: 'silent' }, { write: () => {} });
  const isPretty = config.logFormat ? config.logFormat === 'pretty' : process.stderr.isTTY;
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: createTimestamp(),
      hooks: { streamWrite: maskCapabilities },
    },
    isPretty ? pretty({ destination: createSink(), ignore: 'pid,hostname', singleLine: true }) : createSink(),
  );
}

/** Without a loaded OpenTelemetry SDK its spans are the API's empty ones. */
const tracer = trace.getTracer('dossier');

/**
 * Runs a call of a tool in a span named `tools/call <tool>` (OpenTelemetry's conventions for MCP), where an SDK is
 * loaded; nothing of the input is recorded. `codeOf` names what went wrong: a code of the table of problems.
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
