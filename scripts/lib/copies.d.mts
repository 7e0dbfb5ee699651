export interface Fixture {
  name: string;
  source: string;
  path: string;
  order?: "writer";
  expected: object;
}
export interface Outcome {
  outcome: string;
  reason?: string;
}
export declare const versions: readonly number[];
export declare function fixturesIn(root: string): Generator<Fixture>;
export declare function unpackGolden(golden: string, groups: readonly string[], out: string): void;
export declare function copyInto(fixture: Fixture, version: number, out: string): Promise<Outcome>;
