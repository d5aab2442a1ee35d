#!/usr/bin/env node
import { exitWith } from "./cli/exit-with.js";
import { main } from "./cli/main.js";

exitWith(main(process.argv.slice(2)));
