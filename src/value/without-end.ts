/** A text without the given characters at its end, in time that grows with its length; `/[x]+$/` takes its square. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end--;
  return text.slice(0, end);
}
