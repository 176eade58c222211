import type { z } from 'zod';
import { Problem } from '../problem.ts';
import { callTool, type Tool } from '../tools/tool.ts';
import type { Request } from './environment.ts';

/** Runs a tool for the caller of a request, within its limits, with the type of its answer. Throws only Problem. */
export async function call<Input extends z.ZodObject, Output extends z.ZodObject>(
  c: Request,
  tool: Tool<Input, Output>,
  input: unknown,
): Promise<z.output<Output>> {
  const limits = c.get('limits');
  await limits.count(tool.name);
  try {
    return (await callTool(tool as unknown as Tool, input, c.get('context'))) as z.output<Output>;
  } catch (problem) {
    if (problem instanceof Problem && problem.code === 'invalid_input') await limits.takeBack(tool.name);
    throw problem;
  }
}
