export { BulkFile, type BulkOptions, bulkFile, type Landed, type LocalBulkOptions } from "./client/bulk/bulk-file.js";
export type { BulkStatus } from "./client/bulk/bulk-status.js";
export type { ExportOptions, Poll, Stale } from "./client/bulk/export-source.js";
export { DatabaseQuery } from "./client/query/database-query.js";
export { DatasetQuery, type ReadCall } from "./client/query/dataset-query.js";
export { type DatasetChoice, DatasetsQuery, type MergeCall } from "./client/query/datasets.js";
export { type TablePage, TableQuery } from "./client/query/table-query.js";
export { type RowOf, Service } from "./client/service.js";
export type * from "./client/tables.js";
export type { ConnectOptions, Limits, Retry, Timeouts } from "./client/transport/options.js";
export type { CellReport, CsvLeniency, CsvOptions, ReadOptions } from "./columns/arrow/read-options.js";
export type { OnProgress, Progress } from "./columns/io/progress.js";
export type { ParquetReadOptions } from "./columns/parquet/read/options.js";
export { connect, type SampleOptions, SampleService } from "./connect.js";
export type { Bundle } from "./display/base/show.js";
export { sparkline } from "./display/base/sparkline.js";
export { Chart } from "./display/chart/chart.js";
export type { ChartSpec, Mark, PlotOptions } from "./display/chart/options.js";
export { type Displayed, type DisplayOptions, display } from "./display/display.js";
export type { ProgressEvent } from "./display/progress/event.js";
export { type ProgressBar, progress } from "./display/progress/progress.js";
export type { Exploration, ExploreOptions } from "./display/table/explore.js";
export type {
  DatabaseMetadata,
  DatasetData,
  DatasetMetadata,
  DatasetWithData,
  ExportStatus,
  TableMetadata,
  TableRows,
} from "./document/records.js";
export type { ErrorCode } from "./errors/codes.js";
export {
  ArrowbookError,
  DataError,
  FileError,
  InputError,
  isArrowbookError,
  ServiceError,
  TransportError,
} from "./errors/errors.js";
export { Column } from "./frame/cells/column.js";
export type { AnyRow } from "./frame/cells/row-types.js";
export type { Cell, RowsOptions } from "./frame/cells/rows.js";
export type { DanfoOptions, DanfoReport, FromDanfoOptions } from "./frame/danfo/danfo.js";
export { parquetBatches } from "./frame/files/parquet-batches.js";
export { Frame } from "./frame/frame.js";
export type { Grouped } from "./frame/verbs/grouped.js";
export type { AsofOptions } from "./series/asof.js";
export type { CollapseOptions, PeriodValue, Weekday } from "./series/collapse.js";
export type { Frequency } from "./series/core/calendar.js";
export type { Along, ColumnChoice } from "./series/core/choose.js";
export type { CorrelationMethod } from "./series/corr.js";
export type { EwmOptions } from "./series/ewm.js";
export type { Filling, FillOptions } from "./series/fill.js";
export type { Aggregates } from "./series/group-by.js";
export type { MergeOptions } from "./series/merge.js";
export type { PivotOptions } from "./series/pivot.js";
export type { SeriesQuery } from "./series/query.js";
export type { ResampleOptions } from "./series/resample.js";
export type { RollingOptions, WindowWord } from "./series/rolling.js";
export type { Aggregate } from "./series/track/aggregate.js";
export type { ReturnsOptions } from "./series/track/steps.js";
export type { TransformOptions } from "./series/transform.js";
export type { ColumnSpec } from "./spec/columns.js";
export type { Condition, Conditions, FilterValue } from "./spec/conditions.js";
export type { ErrorMeaning } from "./spec/error-meanings.js";
export type { FrameSource } from "./spec/frame-source.js";
export {
  defineProfile,
  type Known,
  nasdaqDataLink,
  type Profile,
  type ProfileChanges,
  type RateWindow,
  specification,
} from "./spec/profile.js";
export {
  type Collapse,
  type DownloadType,
  type FileStatus,
  type Format,
  type Operator,
  type Order,
  type Transform,
  type Unlisted,
  unlisted,
} from "./spec/vocabulary.js";
