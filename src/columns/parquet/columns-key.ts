/** Key of the file metadata that carries the service's columns, as JSON. */
export const COLUMNS_KEY = "arrowbook.columns";
