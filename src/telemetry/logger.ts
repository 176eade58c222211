import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { attempt } from '../core/json.ts';
import { maskCapabilities } from '../core/keys/capability.ts';

const longestWait_ms = 100;
const writtenAtOnce = 100;
/** Further lines are dropped while the log accepts nothing. */
const longestBacklog_chars = 1_000_000;

function openStandardError() {
  // Another thread would cost more than the writes themselves.
  const file = pino.destination({ fd: 2, sync: true, maxLength: longestBacklog_chars });
  // A full disk would otherwise end the process.
  file.on('error', () => undefined);
  // flushSync() would try for ever without room; end() tries once, and throws if pino-pretty has closed the
  // file.
  process.on('exit', () => attempt(() => file.end()));
  return file;
}

interface Sink extends DestinationStream {
  /** Calls `line` later, and writes it with others. */
  readonly defer?: (line: () => string) => void;
}

/** Each write costs a system call. sonic-boom measures all collected lines again for each line. */
function createSink(): Sink {
  let lines: (() => string)[] = [];
  const flush = () => {
    if (lines.length > 0) file.write(maskCapabilities(lines.map((line) => line()).join('')));
    lines = [];
  };
  process.on('exit', flush);
  const file = openStandardError();
  setInterval(flush, longestWait_ms).unref();
  const defer = (line: () => string) => {
    if (lines.push(line) >= writtenAtOnce) flush();
  };
  return { defer, write: (line) => defer(() => line) };
}

let formatted = { ms: 0, text: '' };

/** As pino writes it. */
function timestamp(ms = Date.now()): string {
  if (ms !== formatted.ms) formatted = { ms, text: `,"time":"${new Date(ms).toISOString()}"` };
  return formatted.text;
}

const infoLevel = 30;

/** At level info, as JSON without braces: pino takes longer to read an object. */
export function logMembers(log: Logger, toMembers: () => string): void {
  if (log.levelVal > infoLevel) return;
  const { [pino.symbols.streamSym]: stream } = log as unknown as Record<symbol, Sink>;
  const now_ms = Date.now();
  const line = () => `{"level":${infoLevel}${timestamp(now_ms)},${toMembers()}}\n`;
  if (stream?.defer) stream.defer(line);
  else stream?.write(line());
}

/** On stderr, because stdio MCP has stdout. Masks capabilities. */
export async function createLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Promise<Logger> {
  if (config.logLevel === 'silent') return pino({ level: 'silent' }, { write: () => {} });
  const isPretty = config.logFormat ? config.logFormat === 'pretty' : process.stderr.isTTY;
  const options = { level: config.logLevel, base: null, timestamp: () => timestamp() };
  if (!isPretty) return pino(options, createSink());
  const { default: pretty } = await import('pino-pretty');
  const lines = pretty({ destination: openStandardError(), ignore: 'pid,hostname', singleLine: true });
  return pino(options, { write: (line) => void lines.write(maskCapabilities(line)) });
}
