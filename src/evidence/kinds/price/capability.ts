import type { NoAnswer } from '../../observation/answer.ts';
import type { EndpointLook } from '../../observation/endpoint-look.ts';
import { defineKind } from '../../observation/kind.ts';
import { asObject } from '../../text/json-object.ts';
import { ofRemotes, remotesOf } from '../remotes.ts';
import { isIdentifier } from './offer.ts';

const mostMethods = 10;

/** The payment methods that an endpoint names, each with its intents. */
function toMethods(payment: unknown): { method: string; intents: string[] }[] {
  const methods = Object.entries(asObject(asObject(payment)?.methods) ?? {}).slice(0, mostMethods);
  return methods
    .filter(([method]) => isIdentifier(method))
    .map(([method, stated]) => {
      const { intents } = asObject(stated) ?? {};
      const named = Array.isArray(intents) ? intents.filter(isIdentifier) : [];
      return { method, intents: named.slice(0, mostMethods) };
    });
}

const none = {
  value: null,
  state: 'no_price_seen' as const,
  reason: 'The endpoint names no payment methods among its capabilities (experimental.payment).',
};

function toFinding({ introduction, list }: EndpointLook) {
  if (!introduction) return list as NoAnswer;
  const { capabilities } = introduction;
  const reason = 'The endpoint sent no capabilities that Dossier could read.';
  if (!capabilities) return { value: null, state: 'not_found' as const, reason };
  const methods = toMethods(asObject(capabilities.experimental)?.payment);
  if (methods.length === 0) return none;
  return {
    value: methods.map(({ method, intents }) => `${method}: ${intents.join(', ')}`).join('; '),
    state: 'advertised' as const,
    details: { methods },
  };
}

/** The payment methods that an endpoint names when it introduces itself. */
export const priceCapability = defineKind({
  kind: 'price.capability',
  question: 'price',
  title: 'Payment methods it names',
  means: 'The payment methods and intents among the endpoint’s capabilities (Machine Payments Protocol).',
  doesNotMean: 'It states no amount.',
  method_version: 'price/1',
  about: remotesOf,
  isOptional: true,
  check: (look) => ofRemotes(look, toFinding),
});
