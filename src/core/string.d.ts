/** `String` of an object or array must not be shown as text. */
interface NoText {
  readonly noText: unique symbol;
}

type Scalar = string | number | boolean | null | undefined;
type Structure = readonly (Scalar | Structure)[] | { readonly [name: string]: Scalar | Structure };
/** Arrays of texts are allowed, because HTTP headers have them. */
type WithoutText<T> = Exclude<Extract<T, Structure>, readonly string[]>;

interface StringConstructor {
  /** Takes precedence over the standard declaration, which accepts any value. */
  // biome-ignore lint/style/useShorthandFunctionType: it is added to the declaration of the language.
  <T>(value: T): 0 extends 1 & T ? string : [WithoutText<T>] extends [never] ? string : NoText;
}
