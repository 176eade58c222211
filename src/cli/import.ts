import { SingleBar } from 'cli-progress';
import type { Config } from '../config.ts';
import { type ImportCounts, runImport } from '../registry/import.ts';
import { openContext } from '../server.ts';
import { ExitError, exitCodes } from './exit.ts';
