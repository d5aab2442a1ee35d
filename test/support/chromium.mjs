import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

const PATHS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = PATHS.find((path) => path && existsSync(path));

/** Ends the process, saying how to install it, when something that the suite in `test/NAME` needs is not there. */
export function requireForSuite(name) {
  const lacks = [
    [!executablePath, "Chromium: apt-get install -y chromium (or name its path in CHROMIUM)"],
    [
      !existsSync(join(root, `test/${name}/node_modules/playwright-core`)),
      `its packages: npm ci --prefix test/${name}`,
    ],
    [!existsSync(join(root, "dist/cjs/index.d.ts")), "the built package: npm run build"],
  ].filter(([missing]) => missing);
  if (lacks.length === 0) return;
  console.error(`test:${name} lacks\n${lacks.map(([, how]) => `  ${how}`).join("\n")}`);
  process.exit(1);
}

/** A browser context of Playwright's `chromium`, whose profile is in a folder of the tests. */
export function launchChromium(chromium, profile, options) {
  return chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    ...options,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
