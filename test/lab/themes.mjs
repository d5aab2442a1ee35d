// Light and dark: tables, and charts that were drawn in the other theme.

/** Colours of the text and of what is behind it, as sums of red, green and blue. Runs in the page. */
function inkAndBack(node) {
  const sum = (color) =>
    color
      .match(/[\d.]+/g)
      .slice(0, 3)
      .reduce((all, part) => all + Number(part), 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (!/rgba\(.*, 0\)|transparent/.test(color)) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const text = node.querySelector("td, .role-title text");
  const { color, fill } = getComputedStyle(text);
  return [sum(text.tagName === "TD" ? color : fill), sum(behind(text))];
}

const isLight = ([ink, back]) => ink < 300 && back > 650;
const isDark = ([ink, back]) => ink > 450 && back < 250;

/** Checks that a table or chart has the colours of a theme. */
export function hasTheme(suite, what, element, theme) {
  return suite.eventually(what, () => element.evaluate(inkAndBack), theme === "dark" ? isDark : isLight);
}

/** Switches JupyterLab's theme. */
export async function changeTheme(page, notebook, theme) {
  await notebook.command("apputils:change-theme", { theme: `JupyterLab ${theme === "dark" ? "Dark" : "Light"}` });
  await page.locator(`body[data-jp-theme-light="${theme === "light"}"]`).waitFor({ state: "attached" });
}

/** Switches the theme of an open notebook with a table and a chart, there and back. */
export async function themes({ page, notebook, suite, picture }, drawings) {
  const tables = notebook.panel.locator("table.dataframe").first();
  const chart = notebook.panel.locator(drawings).first();
  await hasTheme(suite, "light: dark text on a light chart", chart, "light");
  await changeTheme(page, notebook, "dark");
  await tables.scrollIntoViewIfNeeded();
  await hasTheme(suite, "dark: light text on a dark table", tables, "dark");
  await chart.scrollIntoViewIfNeeded();
  await hasTheme(suite, "dark: a chart drawn in the light theme follows", chart, "dark");
  await picture("chart-dark");
  await changeTheme(page, notebook, "light");
  await hasTheme(suite, "light: the chart is back", chart, "light");
}
