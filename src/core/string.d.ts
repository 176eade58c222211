/** The `String` of an object or array is not for showing. */
interface NoText {
  readonly noText: unique symbol;
}

type Scalar = string | number | boolean | null | undefined;
type Structure = readonly (Scalar | Structure)[] | { readonly [name: string]: Scalar | Structure };
/** HTTP headers are arrays of texts. */
type WithoutText<T> = Exclude<Extract<T, Structure>, readonly string[]>;

interface StringConstructor {
  /** Comes before the standard declaration, which accepts any value. */
  // biome-ignore lint/style/useShorthandFunctionType: it is added to the declaration of the language.
  <T>(value: T): 0 extends 1 & T ? string : [WithoutText<T>] extends [never] ? string : NoText;
}
