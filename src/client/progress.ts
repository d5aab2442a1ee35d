export { type Followed, follow, type OnProgress, type Progress } from "../display/progress/follow.js";
