/** Moves the mouse over the marks of a drawing, or of a canvas all over it, until `tooltip` returns a text. */
export async function hover(drawing, tooltip) {
  await drawing.scrollIntoViewIfNeeded();
  const places = await drawing.evaluate((drawn) => {
    const places = [];
    const { x, y, width, height } = drawn.getBoundingClientRect();
    for (let i = 1; drawn.tagName === "CANVAS" && i < 40; i++) {
      for (const part of [0.3, 0.5, 0.7]) places.push([x + (width * i) / 40, y + height * part]);
    }
    for (const line of drawn.querySelectorAll(".mark-line path, .mark-symbol path")) {
      const onScreen = line.getScreenCTM();
      for (let part = 1; part < 10; part++) {
        const point = line.getPointAtLength((line.getTotalLength() * part) / 10).matrixTransform(onScreen);
        places.push([point.x, point.y]);
      }
    }
    return places;
  });
  for (const [x, y] of places) {
    await drawing.page().mouse.move(x, y, { steps: 3 });
    const text = await tooltip();
    if (text !== "") return text;
  }
  return "";
}
