export async function runBench(_s: string, _v: object): Promise<void> {}
