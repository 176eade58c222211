import { existsSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { ioError } from '../core/process.ts';

/** The whole file or nothing; links and modes stay. */
export function replaceFile(file: string, text: string): void {
  try {
    const isThere = existsSync(file);
    const path = isThere ? realpathSync(file) : file;
    writeFileSync(`${path}.new`, text, isThere ? { mode: statSync(path).mode } : {});
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw ioError(`${file}: cannot be written: ${(error as Error).message}`);
  }
}
