#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// The one file in plain JavaScript: stripping types takes 20 MB and some hundred ms, and what this file loads is kept
// stripped and compiled between starts.
enableCompileCache();
const { runCommandLine } = await import('./cli/command-line.ts');
await runCommandLine();
