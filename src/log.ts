import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';
import { maskCapabilities } from './evidence/capability.ts';

const longestWait_ms = 50;
const mostWaiting = 16_384;

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

/** The time as pino writes it, made once a millisecond. */
function createIsoTime(): () => string {
  let at_ms = 0;
  let text = '';
  return () => {
    const now_ms = Date.now();
    if (now_ms !== at_ms) {
      at_ms = now_ms;
      text = `,"time":"${new Date(now_ms).toISOString()}"`;
    }
    return text;
  };
}

/** The process log. Lines go to stderr, so that stdio MCP keeps stdout; anything like a capability is masked. */
export function createLog(config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>): Logger {
  const isPretty = config.LOG_FORMAT ? config.LOG_FORMAT === 'pretty' : process.stderr.isTTY;
  const sink: DestinationStream = isPretty
    ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname', singleLine: true })
    : pino.destination({ fd: 2, sync: true });
  return pino({ level: config.LOG_LEVEL, base: null, timestamp: createIsoTime() }, writeTogether(sink));
}
