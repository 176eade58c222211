/** What `String` makes of an object of JSON, which is no text that may be shown. */
interface NoText {
  readonly noText: unique symbol;
}

type Scalar = string | number | boolean | null | undefined;
type Structure = readonly (Scalar | Structure)[] | { readonly [name: string]: Scalar | Structure };
/** Lists of texts, as headers of HTTP, have a text. */
type WithoutText<T> = Exclude<Extract<T, Structure>, readonly string[]>;

interface StringConstructor {
  /**
   * It comes before the declaration of the language, which takes any value: that of a fact may be a list or
   * an object.
   */
  // biome-ignore lint/style/useShorthandFunctionType: it is added to the declaration of the language.
  <T>(value: T): 0 extends 1 & T ? string : [WithoutText<T>] extends [never] ? string : NoText;
}
