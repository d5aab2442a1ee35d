/**
 * Makes the status of a command the exit status of the process. It is a failure until the command is done: where
 * nothing keeps the process alive any more and the command has not settled, Node would end it with status 0.
 */
export function exitWith(command: Promise<number>): void {
  const onExit = (): void => {
    process.stderr.write(
      "arrowbook: the command ended before its work was done; please report this with what you ran.\n",
    );
    process.exitCode = 1;
  };
  process.once("exit", onExit);
  void command.then((status) => {
    process.off("exit", onExit);
    process.exitCode = status;
  });
}
