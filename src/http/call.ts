import type { z } from 'zod';
import { callTool, type Tool } from '../tools/tool.ts';
import type { Request } from './environment.ts';

/** Runs a tool for the caller of a request, with the type of its answer. Throws only Problem. */
export const call = <Input extends z.ZodObject, Output extends z.ZodObject>(
  c: Request,
  tool: Tool<Input, Output>,
  input: unknown,
): Promise<z.output<Output>> => callTool(tool, input, c.get('context'));
