import { type ConfigData, HtmlValidate } from 'html-validate';

/** What HTML allows and the checker's recommended rules do not. */
const allowed: ConfigData['rules'] = {
  'doctype-style': ['error', { style: 'lowercase' }],
  // Ids of ratings begin with a digit.
  'valid-id': ['error', { relaxed: true }],
  // Fields of one form share a name where it takes several values.
  'form-dup-name': 'off',
  // Tables that are shown as blocks on a phone keep their roles only if they are named.
  'no-redundant-role': 'off',
  // A handle has up to 200 characters.
  'long-title': 'off',
};

const checker = new HtmlValidate({ extends: ['html-validate:recommended'], rules: allowed });

/** What is not valid in a whole HTML document, each fault with its line and the element. */
export async function faultsOfHtml(document: string): Promise<string[]> {
  const { results } = await checker.validateString(document);
  return results.flatMap(({ messages }) =>
    messages.map(({ line, ruleId, message, selector }) => `${line} ${ruleId}: ${message} ${selector ?? ''}`),
  );
}
