export { columnIndex, distinctNames, namesOf } from "../columns/names.js";
