import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { attempt } from '../core/json.ts';
import { maskCapabilities } from '../core/keys/capability.ts';

const longestWait_ms = 100;
const writtenAtOnce = 100;
/** What waits while the file behind the log takes nothing; further lines are dropped. */
const longestBacklog_chars = 1_000_000;

/** Lines that cannot be written are lost. */
function openStandardError() {
  // Asynchronous writes go through another thread, which costs more than they do.
  const file = pino.destination({ fd: 2, sync: true, maxLength: longestBacklog_chars });
  // Without a listener a full disk under the log would end the process.
  file.on('error', () => undefined);
  // flushSync() of the library tries for ever if there is no room; end() tries once, and throws after
  // pino-pretty closed it.
  process.on('exit', () => attempt(() => file.end()));
  return file;
}

interface Sink extends DestinationStream {
  /** Writes a line that is made when it is written. */
  readonly defer?: (line: () => string) => void;
}

/**
 * Makes and writes lines together, at most a tenth of a second late: each on its own would cost a system
 * call, and making one between two answers takes longer than making a hundred at once. sonic-boom, which can
 * collect lines too, measures all that it has collected with each line. What a full disk did not take is
 * written with the next line, or at the end.
 */
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

/**
 * A time as pino writes it into a line; formatting it once a millisecond saves a quarter of a line's cost.
 */
function timestamp(ms = Date.now()): string {
  if (ms !== formatted.ms) formatted = { ms, text: `,"time":"${new Date(ms).toISOString()}"` };
  return formatted.text;
}

const infoLevel = 30;

/**
 * Writes a line of level info, given what makes its members as JSON without braces. pino takes 1 us to read
 * them from an object; a cached answer takes 22.
 */
export function logMembers(log: Logger, toMembers: () => string): void {
  if (log.levelVal > infoLevel) return;
  const { [pino.symbols.streamSym]: stream } = log as unknown as Record<symbol, Sink>;
  const now_ms = Date.now();
  const line = () => `{"level":${infoLevel}${timestamp(now_ms)},${toMembers()}}\n`;
  if (stream?.defer) stream.defer(line);
  else stream?.write(line());
}

/**
 * The process log. Lines go to stderr, so that stdio MCP has stdout to itself; capabilities in them are
 * masked.
 */
export async function createLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Promise<Logger> {
  if (config.logLevel === 'silent') return pino({ level: 'silent' }, { write: () => {} });
  const isPretty = config.logFormat ? config.logFormat === 'pretty' : process.stderr.isTTY;
  const options = { level: config.logLevel, base: null, timestamp: () => timestamp() };
  if (!isPretty) return pino(options, createSink());
  const { default: pretty } = await import('pino-pretty');
  const lines = pretty({ destination: openStandardError(), ignore: 'pid,hostname', singleLine: true });
  return pino(options, { write: (line) => void lines.write(maskCapabilities(line)) });
}
