import { distanceOf, editMatrix, STEP, stepsOf, type EditMatrix } from './edit-matrix.ts'

/** Limits of Tercom: words that shift together, and how far. */
const MOST_WORDS = 10
const MOST_DISTANCE = 50
/** Limit of sacrebleu: shifts that are tried for one answer. */
const MOST_TRIED = 1000

/**
 * Returns the edits from an answer to a reference: words that are extra, missing or replaced, and shifts of words that stand together,
 * each of them one edit. Shifts are searched greedily as Tercom does, with the limits of sacrebleu, whose counts these are.
 */
export function editsOf(answer: readonly string[], reference: readonly string[]): number {
  if (reference.length === 0) return answer.length
  const numbers = new Map<string, number>()
  const numbered = (words: readonly string[]): Int32Array =>
    Int32Array.from(words, (word) => {
      const number = numbers.get(word) ?? numbers.size
      numbers.set(word, number)
      return number
    })
  const referred = numbered(reference)
  let words = numbered(answer)
  let matrix = editMatrix(words, referred)
  let [shifts, tried] = [0, 0]
  for (;;) {
    const found = bestShift(words, referred, matrix, tried)
    tried = found.tried
    if (tried >= MOST_TRIED || found.best === null || found.best.gain <= 0) return shifts + distanceOf(matrix)
    shifts += 1
    words = found.best.words
    matrix = found.best.matrix
  }
}

/** A shift of some words of an answer, and what it leaves. */
interface Shift {
  /** Edits that it saves, beside its own. */
  readonly gain: number
  readonly length: number
  readonly from: number
  readonly to: number
  readonly words: Int32Array
  readonly matrix: EditMatrix
}

function bestShift(
  words: Int32Array,
  reference: Int32Array,
  matrix: EditMatrix,
  before: number,
): { readonly best: Shift | null; readonly tried: number } {
  const distance = distanceOf(matrix)
  const { places, isWrong, isMissed } = alignmentOf(matrix, reference.length)
  let best: Shift | null = null
  let tried = before
  // Words shift from where they are wrong to where they are missed, and not within themselves.
  for (const { from, at, length } of equalParts(words, reference, { isWrong, isMissed })) {
    const place = places[at] ?? 0
    if (from <= place && place < from + length) continue
    let last = -1
    for (let offset = -1; offset < length && at + offset < reference.length; offset++) {
      const to = at + offset === -1 ? 0 : (places[at + offset] ?? 0) + 1
      if (to === last) continue
      last = to
      const shifted = shift(words, { from, length, to })
      const [kept, equalFrom] = [Math.min(from, to), Math.max(from, to) + length]
      const next = editMatrix(shifted, reference, { before: matrix, kept, equalFrom })
      const found = { gain: distance - distanceOf(next), length, from, to, words: shifted, matrix: next }
      tried += 1
      if (best === null || isBetter(found, best)) best = found
    }
    if (tried >= MOST_TRIED) break
  }
  return { best, tried }
}

/** The order of Tercom: the most edits saved, then the longest, the first, and the one to the first place. */
function isBetter(one: Shift, other: Shift): boolean {
  if (one.gain !== other.gain) return one.gain > other.gain
  if (one.length !== other.length) return one.length > other.length
  return one.from === other.from ? one.to < other.to : one.from < other.from
}

/**
 * Words of an answer that stand together in the reference too, with one that is wrong in the answer and one that is missed in the
 * reference; each beginning of them that has both is one.
 */
function* equalParts(
  words: Int32Array,
  reference: Int32Array,
  { isWrong, isMissed }: { readonly isWrong: Uint8Array; readonly isMissed: Uint8Array },
) {
  const wrongIn = waysToNext(isWrong)
  const missedIn = waysToNext(isMissed)
  for (let from = 0; from < words.length; from++) {
    const toWrong = wrongIn[from] ?? 0
    if (toWrong >= MOST_WORDS) continue
    const end = Math.min(reference.length, from + MOST_DISTANCE + 1)
    for (let at = Math.max(0, from - MOST_DISTANCE); at < end; at++) {
      const least = 1 + Math.max(toWrong, missedIn[at] ?? 0)
      const most = Math.min(MOST_WORDS, words.length - from, reference.length - at)
      if (least > most) continue
      for (let length = 1; length <= most && words[from + length - 1] === reference[at + length - 1]; length++) {
        if (length >= least) yield { from, at, length }
      }
    }
  }
}

/** Of each place the places up to the next one that is marked; of those behind the last one more than there are. */
function waysToNext(isMarked: Uint8Array): Int32Array {
  const ways = new Int32Array(isMarked.length)
  let way = isMarked.length
  for (let at = isMarked.length - 1; at >= 0; at--) {
    way = isMarked[at] === 1 ? 0 : way + 1
    ways[at] = way
  }
  return ways
}

/** Of each word of the reference the place in the answer, or the place before it; and which words of both are in no pair. */
function alignmentOf(matrix: EditMatrix, referenceLength: number) {
  const places = new Int32Array(referenceLength)
  const isWrong = new Uint8Array(matrix.length - 1)
  const isMissed = new Uint8Array(referenceLength)
  let [place, at] = [-1, -1]
  for (const step of stepsOf(matrix, referenceLength)) {
    if (step !== STEP.missing) isWrong[++place] = step === STEP.same ? 0 : 1
    if (step === STEP.extra) continue
    places[++at] = place
    isMissed[at] = step === STEP.same ? 0 : 1
  }
  return { places, isWrong, isMissed }
}

/** Moves words before another place; a place within them is counted without them. */
function shift(
  words: Int32Array,
  { from, length, to }: { readonly from: number; readonly length: number; readonly to: number },
): Int32Array {
  const part = words.subarray(from, from + length)
  const left = new Int32Array(words.length - length)
  left.set(words.subarray(0, from))
  left.set(words.subarray(from + length), from)
  const place = to > from + length ? to - length : Math.min(to, left.length)
  const shifted = new Int32Array(words.length)
  shifted.set(left.subarray(0, place))
  shifted.set(part, place)
  shifted.set(left.subarray(place), place + length)
  return shifted
}
