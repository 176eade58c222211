import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config/config.ts';
import { maskCapabilities } from '../evidence/claim/capability.ts';

const longestWait_ms = 50;
const mostWaiting = 65_536;
const infoLevel = 30;

/** Lines are masked and written together, a few milliseconds late: each by itself costs a system call. */
function writeTogether(sink: DestinationStream): DestinationStream {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    process.off('exit', flush);
    const written = lines;
    lines = '';
    sink.write(maskCapabilities(written));
  };
  const flushLater = () => {
    process.on('exit', flush);
    return setTimeout(flush, longestWait_ms).unref();
  };
  return {
    write: (line) => {
      lines += line;
      timer ??= flushLater();
      if (lines.length >= mostWaiting) flush();
    },
  };
}

let last = { ms: 0, text: '' };

/** The time as pino writes it, made once a millisecond. */
function isoTime(): string {
  const now_ms = Date.now();
  if (now_ms !== last.ms) last = { ms: now_ms, text: `,"time":"${new Date(now_ms).toISOString()}"` };
  return last.text;
}

/**
 * Writes one line of level info, `fields` as JSON without its braces: for what is logged of every request, where an
 * answer from memory costs less than pino does.
 */
export function logOften(log: Logger, fields: string): void {
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym];
  if (log.levelVal <= infoLevel) stream?.write(`{"level":${infoLevel}${isoTime()},${fields}}\n`);
}

/** The process log. Lines go to stderr, so that stdio MCP keeps stdout; anything like a capability is masked. */
export function createLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const isPretty = config.logFormat ? config.logFormat === 'pretty' : process.stderr.isTTY;
  const sink: DestinationStream = isPretty
    ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname', singleLine: true })
    : pino.destination({ fd: 2, sync: true });
  return pino({ level: config.logLevel, base: null, timestamp: isoTime }, writeTogether(sink));
}
