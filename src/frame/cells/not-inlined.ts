/**
 * The same function, but V8 never compiles it into its caller: how much may be compiled into one function is limited,
 * and a loop over rows needs that for the callback and the getters that it uses.
 */
export const notInlined = <F extends object>(call: F): F => new Proxy(call, {});
