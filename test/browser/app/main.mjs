import * as arrowbook from "arrowbook";
import { refused, work } from "./work.mjs";

globalThis.app = { arrowbook, refused, work };
