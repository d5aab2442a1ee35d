import { exportTimes } from "../../src/client/bulk/export-source.js";
import { limiters } from "../../src/client/transport/session.js";
import { knownSecrets } from "../../src/errors/secrets.js";

// Runs before each file of those that share a process. Keys of an earlier file may be text of this one, and the port
// of its service that of another service.
exportTimes.clear();
limiters.clear();
knownSecrets.clear();
