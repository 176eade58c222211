/**
 * The address of a module beside the one that asks, for what takes an address and no import: TypeScript where this runs
 * from source, JavaScript where it runs from the package, since Node.js strips no types under node_modules.
 */
export const toModuleUrl = (path: string, from: string): URL =>
  new URL(`${path}${from.endsWith('.ts') ? '.ts' : '.js'}`, from);
