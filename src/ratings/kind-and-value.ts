import { z } from 'zod';

export interface KindAndValue<Kind extends string> {
  readonly kind: Kind;
  readonly value: string;
}

function split<Kind extends string>(text: string): KindAndValue<Kind> {
  const at = text.indexOf(':');
  return { kind: text.slice(0, at) as Kind, value: text.slice(at + 1) };
}

export const toKindAndValue = <Kind extends string>(sent: string | KindAndValue<Kind>): KindAndValue<Kind> =>
  typeof sent === 'string' ? split<Kind>(sent) : sent;

/** tools/list shows only the string, whose pattern names the kinds. */
export function kindAndValue<const Kind extends string>(
  object: z.ZodType<KindAndValue<Kind>, KindAndValue<Kind>>,
  kinds: readonly Kind[],
) {
  const error = `must be kind:value, or an object with kind and value; the kinds are ${kinds.join(', ')}`;
  const text = z
    .string()
    .regex(new RegExp(`^(${kinds.join('|')}):`), { error, abort: true })
    .superRefine((sent, { addIssue }) => {
      if (!object.safeParse(split(sent)).success)
        addIssue({ code: 'custom', message: 'has a value that is empty or too long' });
    });
  return z.union([text, object], { error });
}
