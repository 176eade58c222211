import { type DestinationStream, type Logger, pino } from 'pino';
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
export async function createLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Promise<Logger> {
  if (config.logLevel === 'silent') return pino({ level: 'silent' }, { write: () => {} });
  const isPretty = config.logFormat ? config.logFormat === 'pretty' : process.stderr.isTTY;
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: createTimestamp(),
      hooks: { streamWrite: maskCapabilities },
    },
    isPretty
      ? (await import('pino-pretty')).default({
          destination: createSink(),
          ignore: 'pid,hostname',
          singleLine: true,
        })
      : createSink(),
  );
}
