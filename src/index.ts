export type { BulkStatus } from "./client/bulk/archive.js";
export { BulkFile, type BulkOptions } from "./client/bulk/bulk-file.js";
export type { ExportOptions, Poll, Stale } from "./client/bulk/export-options.js";
export { bulkFile, type LocalBulkOptions } from "./client/bulk/local-bulk-file.js";
export type { CacheOptions } from "./client/cache/cache-settings.js";
export type * from "./client/declared-rows.js";
export type { MirrorChanges } from "./client/mirror/changes.js";
export type { HistoryOption } from "./client/mirror/log.js";
export {
  type AsOf,
  Mirror,
  type MirrorCheck,
  type MirrorOptions,
  type MirrorVersion,
  type SyncOptions,
  type SyncReport,
} from "./client/mirror/mirror.js";
export type { MirrorTarget } from "./client/mirror/place-at.js";
export type { SyncPlan } from "./client/mirror/plan.js";
export type { Plan } from "./client/pages/plan.js";
export { DatabaseQuery } from "./client/query/database-query.js";
export { DatasetQuery, type DatasetReplyData, type ReadCall } from "./client/query/dataset-query.js";
export { type AlignCall, type DatasetChoice, type DatasetsOptions, DatasetsQuery } from "./client/query/datasets.js";
export { type TablePage, TableQuery } from "./client/query/table-query.js";
export type { TableReadCall } from "./client/query/table-read-options.js";
export { type RowOf, type SeriesOf, Service } from "./client/service.js";
export type { ConnectOptions, Limits, Timeouts } from "./client/transport/settings.js";
export type { CsvDialect, CsvLeniency } from "./columns/arrow/csv-dialect.js";
export type { CellReport, CsvOptions, ReadOptions } from "./columns/arrow/read-options.js";
export type { CastOptions } from "./columns/compute/cast.js";
export type { Constant } from "./columns/compute/constant.js";
export type { DivideOptions } from "./columns/compute/divide.js";
export type { JsonLinesOptions } from "./columns/files/lines-file.js";
export type { OnProgress, Progress } from "./columns/io/progress.js";
export type { ParquetReadOptions } from "./columns/parquet/read/options.js";
export { connect, type SampleOptions, SampleService } from "./connect.js";
export type { Bundle } from "./display/base/show.js";
export { sparkline } from "./display/base/sparkline.js";
export { Chart } from "./display/chart/chart.js";
export type { Mark } from "./display/chart/marks/marks.js";
export type { ChartSpec, LayerOptions, PlotOptions } from "./display/chart/options.js";
export type { TearSheet, TearSheetOptions } from "./display/chart/tear-sheet.js";
export { type DisplayOptions, display } from "./display/display.js";
export { type ProgressBar, progress } from "./display/progress/progress.js";
export type { ProgressEvent } from "./display/progress/task-lines.js";
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
export { type Chosen, coalesce, type WhenCondition, when } from "./frame/cells/when.js";
export type { DanfoOptions, DanfoReport, FromDanfoOptions } from "./frame/danfo/danfo.js";
export { arrowBatches } from "./frame/files/arrow-batches.js";
export { type CsvFileOptions, csvBatches } from "./frame/files/csv-files.js";
export { jsonLinesBatches } from "./frame/files/json-lines.js";
export { parquetBatches } from "./frame/files/parquet-batches.js";
export type { SqlOptions } from "./frame/files/sql-table.js";
export { Frame, type Grouped } from "./frame/frame.js";
export { sessions } from "./frame/sessions.js";
export type { DrawOptions } from "./frame/verbs/pick.js";
export type { AlignOptions } from "./series/align.js";
export type { AsofOptions } from "./series/asof.js";
export type { CollapseOptions, PeriodValue, Weekday } from "./series/collapse.js";
export type { Frequency } from "./series/core/calendar.js";
export type { Along } from "./series/core/choose.js";
export type { TimeUnitName } from "./series/core/days.js";
export type { KeyFigures } from "./series/core/key-figures.js";
export type { Calendar } from "./series/core/session-calendar.js";
export type { CorrelationMethod } from "./series/corr.js";
export type { EwmMethod, EwmOptions } from "./series/ewm.js";
export type { FillOptions } from "./series/fill.js";
export type { Aggregates, NamedAggregate } from "./series/group-by.js";
export type { JoinKind, JoinOptions } from "./series/join.js";
export type { PivotOptions } from "./series/pivot.js";
export type { AdjustOptions } from "./series/prices/adjust.js";
export type { SeriesQuery } from "./series/query.js";
export type { ResampleOptions } from "./series/resample.js";
export type { RollingOptions, WindowMethod } from "./series/rolling.js";
export type { Aggregate } from "./series/track/aggregate.js";
export type { ReturnsOptions } from "./series/track/steps.js";
export type { TransformOptions } from "./series/transform.js";
export type { UnpivotOptions } from "./series/unpivot.js";
export type { Within, WithinColumns } from "./series/within.js";
export type { ColumnSpec } from "./spec/columns.js";
export type { CatalogItem } from "./spec/endpoints.js";
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
  type Condition,
  type Conditions,
  type DownloadType,
  type FileStatus,
  type FilterValue,
  type Format,
  type Operator,
  type Order,
  type Transform,
  type Unlisted,
  unlisted,
} from "./spec/vocabulary.js";
export type { Retry } from "./transport/retry.js";
