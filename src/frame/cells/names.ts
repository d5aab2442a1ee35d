export { columnIndex, distinctNames, namesOf } from "../../columns/arrow/column-names.js";
