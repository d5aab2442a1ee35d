/** Contrast ratio (WCAG 2) of texts against what is behind them. Runs in the page. */
export function contrasts() {
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const rgba = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const found = {};
  for (const [what, selector] of Object.entries({
    cell: "#table td",
    name: "#table thead th:nth-child(2)",
    null: "#explore em, #column em, #metadata td",
    source: "#table small",
    error: "#error td",
  })) {
    const node = document.querySelector(selector);
    if (!node) continue;
    const back = behind(node);
    const alpha = Number(getComputedStyle(node).opacity);
    const ink = rgba(getComputedStyle(node).color)
      .slice(0, 3)
      .map((c, i) => c * alpha + back[i] * (1 - alpha));
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    found[what] = (a + 0.05) / (b + 0.05);
  }
  return found;
}
