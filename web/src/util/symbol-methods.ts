/**
 * Methods under well-known symbols: disposal for `using` declarations, and the text that consoles print.
 *
 * They are added by constructors. A computed name in a class body would keep bundlers from dropping the class if
 * it is not used, and older engines lack the symbols for disposal.
 */

/** The type of a symbol such as `Symbol.dispose`; never if the program's TypeScript libraries lack it. */
type SymbolNamed<N extends string> = Extract<SymbolConstructor[Extract<N, keyof SymbolConstructor>], symbol>;

/** For `using`. An empty interface if the program's TypeScript libraries lack `Symbol.dispose`. */
export type MaybeDisposable = { [K in SymbolNamed<"dispose">]: () => void };

/** For `await using`. An empty interface if the program's TypeScript libraries lack `Symbol.asyncDispose`. */
export type MaybeAsyncDisposable = { [K in SymbolNamed<"asyncDispose">]: () => Promise<void> };

/** Adds a method for `using` or `await using` if the engine has the symbol. */
export function addDisposal(target: object, name: "dispose" | "asyncDispose", dispose: () => unknown): void {
  const symbol = (Symbol as unknown as Record<string, symbol | undefined>)[name];
  if (symbol) addHidden(target, symbol, dispose);
}

/**
 * Makes consoles of Node, Deno and Bun print the class with these facts. Calls `facts` each time it is printed.
 */
export function addInspection(target: object, facts: () => Readonly<Record<string, unknown>>): void {
  addHidden(target, Symbol.for("nodejs.util.inspect.custom"), () => {
    const list = Object.entries(facts()).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return `${target.constructor.name} { ${list.join(", ")} }`;
  });
}

/** Returns a URL without what may be secret: the password, and the values of the query. */
export function publicUrl({ protocol, host, pathname, search }: URL): string {
  return `${protocol}//${host}${pathname}${search && "?…"}`;
}

function addHidden(target: object, symbol: symbol, value: () => unknown): void {
  Object.defineProperty(target, symbol, { value, configurable: true, writable: true });
}
