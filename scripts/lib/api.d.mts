export declare function typedEntries(): [subpath: string, types: string][];
export declare function reportName(subpath: string): string;
