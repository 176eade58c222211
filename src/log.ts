import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';
import { maskCapabilities } from './evidence/capability.ts';

/** The process log. Lines go to stderr, so that stdio MCP keeps stdout; anything like a capability is masked. */
export function createLog(config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>): Logger {
  const isPretty = config.LOG_FORMAT ? config.LOG_FORMAT === 'pretty' : process.stderr.isTTY;
  const sink: DestinationStream = isPretty
    ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname', singleLine: true })
    : pino.destination({ fd: 2, sync: true });
  const masked: DestinationStream = {
    write: (line) => sink.write(maskCapabilities(line)),
  };
  return pino({ level: config.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime }, masked);
}
