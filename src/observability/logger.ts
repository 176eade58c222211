import { isMainThread } from 'node:worker_threads';
import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config/config.ts';
import { maskCapabilities } from '../evidence/claim/capability.ts';

const standardError = 2;
const longestWait_ms = 100;

/** Writes lines together, at most a tenth of a second late: each on its own would cost a system call. */
const createSink = (): DestinationStream =>
  pino.destination(
    // pino writes what is left when a process exits, but not when a thread does.
    isMainThread
      ? { fd: standardError, sync: false, minLength: 4096, periodicFlush: longestWait_ms }
      : { fd: standardError, sync: true },
  );

/** The process log. Lines go to stderr, so that stdio MCP has stdout to itself; capabilities in them are masked. */
export function createLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const isPretty = config.logFormat ? config.logFormat === 'pretty' : process.stderr.isTTY;
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: maskCapabilities },
    },
    isPretty
      ? pretty({ destination: standardError, sync: true, ignore: 'pid,hostname', singleLine: true })
      : createSink(),
  );
}
