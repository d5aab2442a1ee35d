/**
 * Writes to a stream whose other end may go away, as Node's console does: the error ends no process and goes to nobody. After the first
 * one nothing is written any more, and `failed` is called, never before the write has returned.
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
        // The event comes after this call, once or for each write that is under way.
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
