import { z } from 'zod';
import { isJsonObject, ownMember, parseForeignJson } from '../../core/json.ts';
import aliases from './aliases.json' with { type: 'json' };

/** Read if the tool has no such member itself. */
const otherNames: Readonly<Record<string, readonly string[]>> = aliases.members;

const otherValues: Readonly<Record<string, Readonly<Record<string, string>>>> = aliases.values;

export const ofFilters: Readonly<Record<string, string>> = aliases.filters;

const unwrap = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
const isList = (schema: unknown): boolean => unwrap(schema) instanceof z.ZodArray;

/** A JSON array, or entries with commas between them. */
function toList(text: string): unknown {
  const parsed = /^\s*\[/.test(text) ? parseForeignJson(text) : undefined;
  const entries = text.split(',').map((entry) => entry.trim());
  return parsed ?? entries.filter((entry) => entry !== '');
}

/** No tool takes more, and many faults take long. */
const mostEntries = 2000;

function cutEntries(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value) && isList(schema)) return value.slice(0, mostEntries + 1);
  if (!isJsonObject(value) || !(unwrap(schema) instanceof z.ZodRecord)) return value;
  return Object.fromEntries(Object.entries(value).slice(0, mostEntries + 1));
}

export function toOwnNames({ input }: { readonly input: z.ZodObject }, sent: unknown): unknown {
  if (!isJsonObject(sent)) return sent;
  const own: Record<string, unknown> = { ...sent };
  const { shape } = input;
  for (const name of Object.keys(shape)) {
    const other = ownMember(otherNames, name)?.find(
      (one) => Object.hasOwn(own, one) && !Object.hasOwn(shape, one),
    );
    if (other !== undefined && !Object.hasOwn(own, name)) {
      own[name] = own[other];
      delete own[other];
    }
    const value = own[name];
    if (typeof value === 'string') own[name] = ownMember(ownMember(otherValues, name) ?? {}, value) ?? value;
    if (isList(shape[name]) && typeof own[name] === 'string') own[name] = toList(own[name]);
    if (Object.hasOwn(own, name)) own[name] = cutEntries(shape[name], own[name]);
  }
  return own;
}
