import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { PolicyFault, type PolicyWitness } from '../evidence/log/witness/policy.ts';
import { readPolicy } from '../evidence/log/witness/read-policy.ts';

/** A witness that the service asks, and where: its submission prefix. */
export type AskedWitness = Omit<PolicyWitness, 'url'> & { readonly url: URL };

function toAsked({ name, cosigner, url = '' }: PolicyWitness): AskedWitness {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new PolicyFault(`witness ${name} has no address (http or https)`);
  return { name, cosigner, url: parsed };
}

/** A policy file whose witnesses have addresses, read at the start; empty for none. */
export const witnessesFile = z.string().transform((file, issues): readonly AskedWitness[] => {
  if (file === '') return [];
  try {
    return readPolicy(readFileSync(file, 'utf8')).witnesses.map(toAsked);
  } catch (error) {
    const why = error instanceof PolicyFault ? error.message : 'cannot be read';
    issues.addIssue({ code: 'custom', message: `${file}: ${why}` });
    return z.NEVER;
  }
});
