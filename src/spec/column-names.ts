/** The names of columns, which messages of the compiler list behind this name. */
type ColumnName<Names extends string> = Names & string;

/** The columns of a row type. `Columns<Row>["name"]` is not an alias, which would hide the names in messages. */
export interface Columns<Row> {
  readonly name: ColumnName<keyof Row & string>;
}

/** One name, or a list of them. */
export type OneOrMore<Name extends string> = Name | readonly Name[];
