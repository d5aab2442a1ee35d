/**
 * Writes to a stream whose other end may close, as Node's console does: errors are swallowed and do not end the
 * process. After the first error nothing more is written, and `failed` is called, but never before the write has
 * returned.
 */
export function quietWrite(
  stream: NodeJS.WriteStream,
  write: NodeJS.WriteStream["write"],
  failed: () => void,
): (text: string) => boolean {
  let isGone = false;
  const fail = (): void => {
    if (!isGone) failed();
    isGone = true;
  };
  return (text) => {
    if (isGone) return false;
    stream.once("error", ignore);
    try {
      return write.call(stream, text, "utf8", (error) => {
        if (!error) return;
        // The event follows this call, once, or once per pending write.
        stream.on("error", ignore);
        setImmediate(() => stream.off("error", ignore));
        fail();
      });
    } catch {
      process.nextTick(fail);
      return false;
    } finally {
      stream.off("error", ignore);
    }
  };
}

const ignore = (): void => {};
