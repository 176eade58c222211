#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Keeps compiled code between starts, types stripped; it counts only for what is loaded from here on.
enableCompileCache();
const { runCommandLine } = await import('./cli/command-line.ts');
await runCommandLine();
