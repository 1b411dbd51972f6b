/** Widths of characters of a bold sans-serif in parts of its size, by what they are; wide rather than narrow. */
const NARROW = /[ .,:;!|'`ijlIJftr()[\]/\\-]/u
const WIDE = /[MWmw@%—…]/u
const CAPITAL = /\p{Lu}/u

/** Returns about how wide a text is, in parts of the size of its font. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    width += NARROW.test(character) ? 0.46 : WIDE.test(character) ? 1.1 : CAPITAL.test(character) ? 0.8 : 0.72
  }
  return width
}

/** Breaks a text into lines of a width at most; the last of `most` lines ends in "…" where more follows. */
export function wrapText(text: string, width: number, most: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of piecesOf(text, width)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= width) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  if (line !== '') lines.push(line)
  if (lines.length <= most) return lines
  const shown = lines.slice(0, most)
  return [...shown.slice(0, -1), shortened(shown.at(-1) ?? '', width)]
}

/** Splits a text into words, and a word that is wider than a line into pieces. */
function piecesOf(text: string, width: number): readonly string[] {
  return text.split(/\s+/).flatMap((word) => {
    if (widthOf(word) <= width) return word === '' ? [] : [word]
    const pieces: string[] = []
    let piece = ''
    for (const character of word) {
      if (widthOf(piece + character) > width) {
        pieces.push(piece)
        piece = ''
      }
      piece += character
    }
    return [...pieces, piece]
  })
}

function shortened(line: string, width: number): string {
  let shown = ''
  for (const character of line) {
    if (widthOf(`${shown}${character}…`) > width) break
    shown += character
  }
  return `${shown.trimEnd()}…`
}
