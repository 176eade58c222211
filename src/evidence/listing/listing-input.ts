import { z } from 'zod';

/** Kinds of input that a caller must supply: a header, a variable of the address, an environment variable, an argument. */
export const inputKinds = ['header', 'variable', 'environment', 'argument'] as const;

/** One input that a remote or a package needs from its caller, as the publisher recorded it; never a value. */
export const listingInput = z.object({
  name: z.string(),
  kind: z.enum(inputKinds),
  required: z.boolean(),
  secret: z.boolean(),
});
export type ListingInput = z.infer<typeof listingInput>;
