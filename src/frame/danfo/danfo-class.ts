// biome-ignore-all lint/suspicious/noTsIgnore: where danfojs-node is installed there is no error to expect
/**
 * Danfo's own class, for completion; anything where danfojs-node is not installed.
 * @ts-ignore */
export type DanfoDataFrame = import("danfojs-node").DataFrame;
