/** The error classes with codes of their own. */
export type ErrorClass =
  | "ArrowbookError"
  | "InputError"
  | "DataError"
  | "ServiceError"
  | "TransportError"
  | "FileError";

/** The class of an error code, its meaning, and what the caller should do. */
export interface CodeEntry<Class extends ErrorClass = ErrorClass> {
  readonly class: Class;
  readonly meaning: string;
  readonly cure: string;
}

const of =
  <Class extends ErrorClass>(name: Class) =>
  (meaning: string, cure: string): CodeEntry<Class> => ({ class: name, meaning, cure });

const input = of("InputError");
const data = of("DataError");
const service = of("ServiceError");
const transport = of("TransportError");
const file = of("FileError");
const other = of("ArrowbookError");

/**
 * Every error code of this package: the constructors of the error classes accept only these names, and `docs/errors.md`
 * is generated from this list. The codes of a service's own errors are in its profile (`spec/error-meanings`).
 */
export const ERROR_CODES = {
  // Arguments and options
  BadArgument: input(
    "An argument or option has the wrong type or a value out of range.",
    "Pass what the message expects.",
  ),
  UnknownOption: input("An options object has a member that does not exist.", "Use the name that the hint suggests."),
  UnknownValue: input(
    "A string is not one of the accepted values: a mark, method, format, order, kernel option.",
    'Use the value that the hint suggests. `unlisted("…")` passes a value that a service accepts and its profile omits.',
  ),
  UnknownFileType: input(
    "The file name's extension is not a type that can be written.",
    "Use an extension from the hint.",
  ),
  KeptRow: input(
    "A row view was read after the callback that received it had returned.",
    "Keep a copy, `{ ...row }`: callbacks receive a view that is reused for the next row.",
  ),
  OutOfRange: input("A row number is outside the rows.", "Use 0 to the number of rows minus 1."),
  NeedsNode: input(
    "The call needs Node: mirrors, bulk files, the embedded service, the engines, pictures in PNG.",
    "Run it in Node, or do what the hint says in the page.",
  ),
  NotLoaded: input("A page that imports arrowbook/frame called what it lacks.", 'Import "arrowbook".'),
  MissingPackage: input("The call needs an optional package that is not installed.", "Run the command in the hint."),

  // Columns and frames
  UnknownColumn: input("The table has no column of this name or position.", "Use the name that the hint suggests."),
  AmbiguousColumn: input("Several columns have this name.", "Use the position, or rename the columns first."),
  DuplicateColumn: input("Two columns of the result would have the same name.", "Rename or leave out one of them."),
  WrongType: input("The column's type does not support the operation.", "Use another column, or convert this one."),
  UnknownType: input("A column is declared with a type that does not exist.", "Use the type that the hint suggests."),
  UnsupportedType: input("An Arrow type cannot be read, or stored by the engine.", "Convert or drop the column."),
  MixedTypes: input("The values of one column are of several types.", "Convert them, or declare the column's type."),
  AmbiguousSort: input("`sort()` can mean two columns, or one and its direction.", "Use the spelling in the hint."),
  RepeatedDate: input(
    "A date repeats within a series: several series are treated as one, or rows are duplicated.",
    "Name the columns that identify a series in `by`, as the hint shows; `by: []` treats all rows as one series.",
  ),
  DifferentLength: input("Columns, names or a mask have different lengths.", "Pass one value for each row or column."),
  DifferentColumns: input("Frames to concatenate differ in their columns.", "Select and rename the columns first."),
  DifferentTypes: input("The key columns of two frames differ in type.", "Convert one of them."),
  NoSchema: input("Without rows the columns are unknown.", "Pass the columns or the schema."),
  NoFrames: input("The list of frames is empty.", "Pass at least one frame."),
  NoColumns: input("The table has no columns.", "Pass a table with at least one column."),
  NoDateColumn: input("The operation needs a date column and the table has none.", "Name one with the option `on`."),
  EmptyDate: input("Rows without a date cannot be placed in time.", "Remove these rows, or fill in their dates."),
  DateOutOfRange: input(
    "A date is outside of the years 1 to 9999, which have calendar periods, or of the days that a trading calendar covers.",
    "Remove or correct these rows.",
  ),
  SeveralValues: input("Several rows fall into one cell of a pivot.", "Name an aggregate, or add an index column."),
  NothingToPlot: input("The table has no column of numbers.", "Name the columns to draw."),

  // Queries
  BadAddress: input("The base address is not a valid service address.", "Pass an http or https address."),
  NoAddress: input("No base address is set.", "Pass `url` to `connect()`, or set ARROWBOOK_URL."),
  BadCode: input("A database, dataset or table code has the wrong shape.", "Use `DATABASE/DATASET` or `VENDOR/TABLE`."),
  BadFilter: input("A filter cannot be represented in a URL.", "Change the filter as the hint says."),
  NotFilterable: input(
    "The service does not filter by this column.",
    "Pass `{ local: true }` to `where()`, or filter the frame.",
  ),
  BadSelection: input(
    "A selection is empty, repeats a name, or has a name that a URL cannot represent.",
    "Correct `select()`.",
  ),
  NotInCsv: input("The service does not offer this document as CSV.", "Use JSON or XML."),
  NotInXml: input("XML cannot represent a character of the data.", "Use JSON or CSV."),
  MissingMember: input("A document to write lacks a required member.", "Add the member that the message names."),
  NoCatalog: input("The service does not list its codes.", "Pass the code of a dataset or table."),

  // Engines
  BadStatement: input("The engine rejects the SQL statement or its parameters.", "Correct the statement."),
  EngineClosed: input("The engine is closed.", "Open another one."),
  WrongKey: input("A table was loaded with another key.", "Pass the same key, or load into another table."),
  WrongTable: input(
    "Rows cannot be added to a table: it was not made by `load()`, or its columns differ.",
    "Load into another table, or replace this one.",
  ),
  EngineAccess: input(
    "The engine's server rejects the user, the password or a missing right.",
    "Correct user and password, or ask for the right.",
  ),
  EngineTooOld: input("The engine's server is older than this package supports.", "Use a newer server."),

  // The embedded service
  BadCatalog: input("A member of `catalog.json` is missing or wrong.", "Correct the member that the message names."),
  NoData: input("There is no data to serve.", "Pass `data`, or a database that has been served before."),
  UnknownCode: input("The embedded service does not have this code.", "Use the code that the hint suggests."),
  NotServable: input("A table of the engine cannot be served as it is.", "Follow the hint."),
  KeysNeeded: input("A public address needs API keys of its own.", "Pass `apiKeys`, or listen on 127.0.0.1."),

  // Kernels and notebooks
  UnknownKernel: input("There is no kernel of this name.", "Use the name that the hint suggests, or install it."),
  KernelNotStarted: input("The command of a kernel cannot be started.", "Install the kernel again."),
  ForeignKernel: input(
    "A kernelspec belongs to another program or another project.",
    "Install under another name with `--name`, or remove the other one with Jupyter.",
  ),
  NoEnvironment: input("No Python environment is active.", "Activate one, or pass `--prefix`."),
  OldNotebook: input("The notebook has an unsupported format.", "Save it in format 4 with Jupyter."),
  BadNotebook: data("The file is not a valid notebook.", "Correct the cell or member that the message names."),
  NoInput: input(
    "A cell asks for input where there is no front end that takes any.",
    "Run it in JupyterLab, Notebook or VS Code, or read an environment variable.",
  ),
  CommandFailed: input("A command of `sh()` ended with another exit code than 0.", "Read its messages in the output."),
  CellFailed: other("A cell of a notebook threw an error.", "Correct the cell."),
  KernelExit: other("A cell calls process.exit(), which would end the kernel.", "Throw an error or return instead."),
  KernelDied: transport("The kernel process ended.", "Read its last output in the message, then run again."),
  KernelTimeout: transport(
    "The kernel did not reply in time after its start.",
    "Run again when the machine is less busy.",
  ),
  CellTimeout: transport("A cell did not end in time.", "Raise the limit with `--timeout`."),

  // Cells and formats
  BadCell: data(
    "A cell does not fit the type of its column.",
    'Correct the type or data, or pass `onBadCell: "null"`.',
  ),
  PrecisionLoss: data(
    "A number has more digits than the type of its column.",
    'Declare a larger type, or pass `onPrecisionLoss: "round"`.',
  ),
  Overflow: data("A computed value exceeds the digits of its type.", "Convert the column to double first."),
  BadUtf8: data("The bytes are not valid UTF-8.", "Pass the encoding of the file, or convert it to UTF-8."),
  BadTextEncoding: data("The bytes are not text in the encoding that was passed.", "Pass the encoding of the file."),
  BadZstd: data("The zstd data is corrupt or truncated.", "Download or copy the file again."),
  ZstdBomb: data("The zstd data grows beyond the limits.", "Raise `maxSize` or `maxRatio` if you trust it."),
  BadJson: data("The text is not valid JSON, or not of the expected shape.", "Check the reply of the service."),
  TruncatedJson: data("The JSON text ends early.", "Send the request again."),
  BadXml: data("The text is not a valid XML reply.", "Check the reply of the service."),
  BadCsv: data("The text is not valid CSV.", "Check the reply of the service."),
  EmptyCsv: data("The CSV text is empty, without even a header line.", "Check the file."),
  EmptyJsonLines: data("The JSON lines have no members, so that no column is known.", "Declare the columns."),
  UnterminatedQuote: data(
    "A quoted CSV cell is not closed.",
    "Check that the file is complete, or pass `lenient.quotes`.",
  ),
  StrayQuote: data("A CSV cell has a misplaced quote.", "Correct it, or pass `lenient: { quotes: true }`."),
  TooManyColumns: data("A CSV row has more cells than any table can have.", "Check that the file is CSV."),
  ShortRow: data("A row has fewer cells than there are columns.", "Correct the columns, or pass a `lenient` option."),
  LongRow: data("A row has more cells than there are columns.", "Correct the columns, or pass a `lenient` option."),
  EmptyLine: data("A CSV row is an empty line.", "Remove it, or pass a `lenient` option."),
  RowTooLong: data("A CSV row exceeds the limit of bytes.", "Check that its quotes are closed."),
  TextTooLong: data("Text of one batch or dictionary exceeds 2 GiB.", "Read smaller batches, or take fewer rows."),
  CellTooLong: data("A text cell exceeds the limit of bytes.", "Check that its quotes are closed."),
  MissingColumn: data("The file lacks a declared column.", "Correct the declared columns, or the file."),
  UndeclaredColumn: data("The file has a column that is not declared.", "Declare it, or pass `lenient.header`."),
  SchemaMismatch: data("Batches of one table differ in their columns.", "Pass batches of equal columns."),

  // Files of other formats
  WrongFormat: data("The bytes are of another format, which the message names.", "Use the call that the hint names."),
  UnsupportedArrow: data(
    "The Arrow data uses compression or a layout that is not supported.",
    "Write it again as the hint says.",
  ),
  BadArrow: data("The bytes are not a readable Arrow stream or file.", "Write the file again."),
  BadDictionaryIndex: data("An index points outside of its Arrow dictionary.", "Write the table again."),
  BadExcel: data("The file is not a readable Excel workbook.", "Save it again as .xlsx, not encrypted."),
  BadParquet: data("The file is not a readable Parquet file.", "Write or download the file again."),
  UnsupportedParquet: data(
    "The Parquet file is encrypted, partitioned by folder names, compressed by LZO, or has a column of an unknown type.",
    "Follow the hint.",
  ),
  ParquetBomb: data(
    "The Parquet file takes more memory than the limits allow.",
    "Raise `maxRatio` or `maxSize` if you trust it, or read fewer columns.",
  ),
  NotZip: data("The file is not a zip archive, or is truncated.", "Download it again."),
  BadZip: data("The archive is corrupt.", "Download it again."),
  BadChecksum: data("The checksum of an archive's entry is wrong.", "Download it again."),
  ZipEntries: data("The archive does not hold exactly one CSV file.", "Extract the CSV file and read that."),
  ZipBomb: data(
    "An archive's entry is larger than the limits allow.",
    "Raise `maxSize` or `maxRatio` if you trust it.",
  ),
  NestedZip: data("The archive's entry is an archive itself.", "Extract the inner archive first."),
  UnsupportedZip: data("The entry is encrypted or compressed with another method.", "Compress it again with deflate."),
  BadGzip: data("The gzip data is corrupt or truncated.", "Download or copy the file again."),
  GzipBomb: data("The gzip data grows beyond the limits.", "Raise `maxSize` or `maxRatio` if you trust it."),
  DuplicateKey: data("Several rows have the same key, or a key is null.", "Correct the file, or the key."),
  WrongColumn: data("A column of a data file does not fit the catalogue.", "Correct the catalogue, or the file."),
  EngineData: data("The engine rejects the data.", "Correct the values that the message names."),

  // Replies of a service
  UnexpectedContent: data("The reply has another content type, such as a web page.", "Check the address."),
  UnexpectedShape: data("The reply lacks a member, or has one of another type.", "Check that the address is right."),
  UnknownStatus: data("The service reports an unknown status of a file.", "Try again later."),
  BadCursor: data("The service's cursor of the next page is not a string.", "Use an export."),
  CursorLoop: data("The pages repeat endlessly.", "Start again, or use an export."),
  TooManyRows: data(
    "The result has more rows than `maxRows` allows.",
    "Add filters, raise `maxRows`, or pass `truncate`.",
  ),
  TableRefreshed: data(
    "The table was refreshed while its pages were read; rows of both versions may be mixed.",
    "Start again: `frame()` does so by itself. An export contains one version.",
  ),
  TooManyPages: data("The result has more pages than `limits.pages` allows.", "Use an export, or raise the limit."),
  ReplyContradicts: data(
    "The reply does not fit the query: other parameters, columns or rows than were requested.",
    "Bypass the cache or proxy that drops the query, or leave the check out of the profile's `replyChecks`.",
  ),
  ColumnsChanged: data("The columns changed between metadata and pages, or between pages.", "Start again."),
  ExportPending: service("The service is still preparing the export.", 'Try again later, or pass `stale: "use"`.'),
  ExportLimit: transport("The hourly number of exports is used up.", "Wait as long as the message says."),

  // Connections
  Unreachable: transport("The service cannot be reached.", "Check the address, and that the service is running."),
  ConnectionLost: transport("The connection broke.", "Try again, then check the network."),
  Tls: transport("The secure connection failed.", "Check the service's certificate and this machine's clock."),
  Timeout: transport("The reply did not arrive in time.", "Try again, or raise `timeouts` of `connect()`."),
  RateLimited: transport("The service asked to wait longer than the retry budget.", "Wait, or raise `retry.budget`."),
  BadRedirect: transport("A redirect loops or points to a forbidden address.", "Check the address."),
  TruncatedBody: transport("The reply ended early.", "Try again."),
  UnknownEncoding: transport("The reply has a content coding that cannot be decoded.", "Check the proxies in between."),
  BadEncoding: transport("The reply is not in the content coding that it declares.", "Try again."),
  BadRange: transport(
    "A server replied with another part of a file than was requested, or with a file whose end is not marked.",
    "Download the file, and read it from disk.",
  ),
  ServerFailed: transport("The server of a file replied with an error.", "Try again later, or check the address."),
  TooLarge: transport("The reply exceeds `limits.body`.", "Use an export, or raise the limit."),
  FileReplaced: transport("The file was replaced while it was downloaded.", "Download it again later."),
  EngineBusy: transport("The engine's server is overloaded or restarting.", "Try again later."),
  NotListening: transport("The embedded service cannot listen on its port.", "Pass another port, or 0 for a free one."),

  // Local files
  FileNotFound: file("The file or its folder does not exist.", "Check the path."),
  AccessDenied: file("Access is denied.", "Check the permissions, or use another folder."),
  DiskFull: file("The disk is full.", "Free some space, or use another disk."),
  NotAFile: file("The path names a folder or a device.", "Pass the path of a file."),
  FileChanged: file("The file changed while it was read.", "Read it again."),
  NoDisk: file("A path in a page, which has no disk.", "Pass a `File`, a `Blob`, bytes or an address."),
  FileFailed: file("The file system reports another error, which is in `cause`.", "Follow the message."),
  BadMirror: file(
    "The place does not hold a mirror, no copy yet, or an incomplete one.",
    "Call sync(), or use another place.",
  ),
  BadRecording: file("The file is not a recording of requests and replies.", "Record it again."),
  NotRecorded: input("The recording has no reply to this request.", "Request what was recorded, or record it again."),
  SecretInRecording: input(
    "A binary reply contains the key, and cannot be recorded without it.",
    "Record another reply.",
  ),
  BadCheckpoint: file(
    "The file is not a checkpoint.",
    "Pass the path of a file that does not exist, or delete this one.",
  ),
  CheckpointInUse: file("Another process holds the checkpoint.", "Wait for it, or pass another path."),
  DatabaseNotOpened: file("The database file cannot be opened.", "Close the other process, or check the file."),
  EngineFailed: file("The engine ran out of memory or failed to read a file.", "Follow the message."),

  // Stopping
  NoMemory: other(
    "WebAssembly gets no memory to inflate or compute with.",
    "Allow the process more address space, or read fewer files at once.",
  ),
  Stopped: other("The command was interrupted.", "Run it again; a download resumes."),
} as const satisfies Readonly<Record<string, CodeEntry>>;

/** An error code of this package. */
export type ErrorCode = keyof typeof ERROR_CODES;

export type CodeOf<Class extends ErrorClass> = {
  [Code in ErrorCode]: (typeof ERROR_CODES)[Code]["class"] extends Class ? Code : never;
}[ErrorCode];
