/** The folder with the programs of the environment of a suite, in whose folder `home` requirements.txt is. */
export declare function environment(home: string): string;
