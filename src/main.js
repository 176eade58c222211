#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

// This file is plain JavaScript, because stripping types takes 20 MB and some hundred ms. The compile cache
// keeps imported files stripped and compiled between starts.
enableCompileCache();
// The package holds emitted JavaScript, because Node.js strips no types under node_modules.
const isPackage = existsSync(new URL('./cli/command-line.js', import.meta.url));
const { runCommandLine } = await import(isPackage ? './cli/command-line.js' : './cli/command-line.ts');
await runCommandLine();
