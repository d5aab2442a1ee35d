import { afterAll } from "vitest";
import { compareLongListsQuickly } from "./long-lists.js";
import { removeTemporaryFolders } from "./temporary-folder.js";

// Runs before each file of tests: registered first, hence called last.
afterAll(removeTemporaryFolders);
compareLongListsQuickly();
