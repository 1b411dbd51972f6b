import { slice } from '../../search/build.ts'
import { textBy } from '../../search/derived.ts'
import type { TextNode } from '../../search/node.ts'
import { byCost } from '../../ranking/cost.ts'
import type { SlicedSource } from '../edges.ts'
import type { PositionVector } from '../positions.ts'
import type { TextSpace } from '../text-space.ts'

const MOST_PARTS = 2
const MAX_SOURCES = 3
/** Shorter outputs occur in texts by chance. */
const MIN_LETTERS = 3
const LETTER = /[\p{L}\p{N}]/u

/** Letters and digits of a text in lower case, with their places in it. */
interface Letters {
  readonly text: string
  readonly places: readonly number[]
}

function lettersOf(text: string): Letters {
  const places: number[] = []
  let letters = ''
  for (let at = 0; at < text.length; at++) {
    const unit = text.charAt(at)
    const lower = unit.toLowerCase()
    if (lower.length !== 1 || !LETTER.test(unit)) continue
    letters += lower
    places.push(at)
  }
  return { text: letters, places }
}

/** The cheapest position that has these places on the rows with an output. */
function positionAt(positions: readonly PositionVector[], places: readonly number[]): PositionVector | undefined {
  return positions.find(({ at }) => places.every((place, row) => at[row] === place))
}

/** The part of a source between two positions that has the letters of the outputs on all rows. */
function partOf({ source, positions }: SlicedSource, wanted: readonly string[]): TextNode[] {
  const starts: number[] = []
  const ends: number[] = []
  for (const [row, letters] of wanted.entries()) {
    const { text, places } = lettersOf(source.texts[row] ?? '')
    const found = text.indexOf(letters)
    const start = places[found]
    const last = places[found + letters.length - 1]
    if (start === undefined || last === undefined) return []
    starts.push(start)
    ends.push(last + 1)
  }
  const from = positionAt(positions, starts)
  const until = positionAt(positions, ends)
  if (from === undefined || until === undefined) return []
  const isWhole = starts.every((start, row) => start === 0 && ends[row] === source.texts[row]?.length)
  if (isWhole) return []
  const cost = source.cost
    .with(from.isField && until.isField ? 'slice.fields' : 'slice')
    .plus(from.cost)
    .plus(until.cost)
  const cut = textBy((text) => slice(text, from.pos, until.pos))
  return [cut({ expr: source.expr, values: source.texts }, cost)]
}

/**
 * Returns parts of the texts that have the letters and digits of the outputs, but other marks between them: the last
 * segment of an address, the name in the name of a file. They become outputs as whole texts do, by rewriting.
 */
export function partsToRewrite({ pieces, sliced, outputs }: TextSpace, texts: readonly TextNode[]): TextNode[] {
  const wanted = outputs.map((output) => lettersOf(output).text)
  if (wanted.some((letters) => letters.length < MIN_LETTERS)) return []
  const isAlike = ({ values }: TextNode) =>
    wanted.every((letters, row) => {
      const value = values[row]
      return value !== undefined && value.length <= 4 * letters.length && lettersOf(value).text === letters
    })
  if (texts.some(isAlike)) return []
  const alike = pieces.filter(isAlike)
  const cut = alike.length > 0 ? [] : sliced.slice(0, MAX_SOURCES).flatMap((one) => partOf(one, wanted))
  return [...alike, ...cut].toSorted(byCost).slice(0, MOST_PARTS)
}
