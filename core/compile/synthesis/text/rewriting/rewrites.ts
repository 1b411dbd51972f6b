import type { CharSet } from '../../../language/ast.ts'
import { escapeRegex, literal, literalPattern } from '../../search/build.ts'
import type { Budget } from '../../search/budget.ts'
import { textVectorKey, type TextNode } from '../../search/node.ts'
import { decapitalisedExpr, LETTER_CASES } from '../casing.ts'
import { shownOf } from '../../search/unlabelled.ts'
import { editRules } from './edit-rules.ts'
import { replacing, rewriteBy, type Rewrite } from './rewrite.ts'
import { costOf, type FeatureName } from '../../ranking/cost.ts'

const MAX_DEPTH = 5
const BEAM_WIDTH = 24
/** Cost by which a chain replaces one to the same texts: the same rewrites in another order cost as much. */
const MIN_SAVING = 1e-6
const MAX_MARKS = 10
const CAMEL_WORDS = '[A-Z]+[a-z0-9]*|[a-z0-9]+'

function replaceAllRegex(regex: string, by: string, feature: FeatureName): Rewrite {
  const find = { kind: 'regex', regex } as const
  return rewriteBy(costOf(feature), (text) => replacing(text, find, by))
}

function filter(op: 'removeChars' | 'keepChars', set: CharSet, feature: FeatureName): Rewrite {
  return rewriteBy(costOf(feature), (text) => ({ op, text, set }))
}

const FIXED_REWRITES: readonly Rewrite[] = [
  ...LETTER_CASES.map(([feature, build]) => rewriteBy(costOf(feature), build)),
  rewriteBy(costOf('trim'), (text) => ({ op: 'trim', text })),
  rewriteBy(costOf('collapseSpace'), (text) => ({ op: 'collapseSpace', text })),
  rewriteBy(costOf('unaccent'), (text) => ({ op: 'normalize', text, form: 'unaccent' })),
  rewriteBy(costOf('reverse.text'), (text) => ({ op: 'reverse', of: text })),
  filter('removeChars', { classes: ['space'] }, 'removeChars.space'),
  filter('removeChars', { classes: ['punct'] }, 'removeChars.punct'),
  filter('removeChars', { classes: ['punct', 'space'] }, 'removeChars.punctAndSpace'),
  filter('removeChars', { classes: ['digit'] }, 'removeChars.digit'),
  filter('keepChars', { classes: ['digit'] }, 'keepChars.digit'),
  filter('keepChars', { classes: ['alpha'] }, 'keepChars.alpha'),
  filter('keepChars', { classes: ['upper'] }, 'keepChars.upper'),
  filter('keepChars', { classes: ['alnum'] }, 'keepChars.alnum'),
  filter('keepChars', { classes: ['alpha', 'space'] }, 'keepChars.alphaAndSpace'),
  filter('keepChars', { classes: ['alnum', 'space'] }, 'keepChars.alnumAndSpace'),
  filter('keepChars', { classes: ['digit'], chars: '.' }, 'keepChars.number'),
  filter('keepChars', { classes: ['digit'], chars: '.-' }, 'keepChars.signedNumber'),
  filter('removeChars', { chars: 'aeiouAEIOU' }, 'removeChars.vowel'),
  replaceAllRegex('\\([^()]*\\)', '', 'removeBracketed.round'),
  replaceAllRegex('\\[[^\\[\\]]*\\]', '', 'removeBracketed.square'),
  replaceAllRegex('<[^<>]*>', '', 'removeBracketed.angle'),
]

function camelSplit(separator: string): Rewrite {
  const pattern = { kind: 'regex', regex: CAMEL_WORDS } as const
  return rewriteBy(costOf('splitCamel'), (text) => ({
    op: 'join',
    list: { op: 'extractAll', text, pattern },
    separator: literal(separator),
  }))
}

function marksOf(texts: readonly (string | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) {
    for (const char of text ?? '') if (!/[\p{L}\p{N}]/u.test(char)) counts.set(char, (counts.get(char) ?? 0) + 1)
  }
  return counts
}

function commonest(counts: ReadonlyMap<string, number>): string[] {
  return [...counts]
    .toSorted(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, MAX_MARKS)
    .map(([char]) => char)
}

function trimMarks(char: string): Rewrite {
  return rewriteBy(costOf('trim.mark'), (text) => ({ op: 'trim', text, set: { chars: char } }))
}

function replaceChar(from: string, to: string, feature: FeatureName): Rewrite {
  return rewriteBy(costOf(feature), (text) => replacing(text, literalPattern(from), to))
}

/** Rewrites of characters that these inputs and outputs suggest. */
function suggestedRewrites(inputs: readonly (string | undefined)[], outputs: readonly string[]): Rewrite[] {
  const inMarks = marksOf(inputs)
  const outMarks = marksOf(outputs)
  const rewrites: Rewrite[] = []
  const gained = commonest(outMarks).filter((mark) => (outMarks.get(mark) ?? 0) > (inMarks.get(mark) ?? 0))
  const masks = [
    ...gained,
    ...['X', 'x', 'N', '0', 'A', '9'].filter((mask) => outputs.some((text) => text.includes(mask))),
  ]
  for (const mark of commonest(inMarks)) {
    rewrites.push(filter('removeChars', { chars: mark }, 'removeChars.mark'))
    rewrites.push(trimMarks(mark))
    for (const other of gained) rewrites.push(replaceChar(mark, other, 'replaceMark'))
    if (mark !== ' ') rewrites.push(replaceChar(mark, ' ', 'replaceMark.bySpace'))
    if (mark !== ' ')
      rewrites.push(
        replaceChar(`${mark} `, mark, 'replaceMark.spacing'),
        replaceChar(` ${mark}`, mark, 'replaceMark.spacing'),
        replaceChar(mark, `${mark} `, 'replaceMark.spacing'),
      )
  }
  for (const mark of commonest(inMarks)) {
    const isDoubled = (texts: readonly (string | undefined)[]) => texts.some((text) => text?.includes(mark + mark))
    if (mark === ' ' || !isDoubled(inputs) || isDoubled(outputs)) continue
    rewrites.push(replaceAllRegex(`${escapeRegex(mark)}+`, mark, 'replaceRun.repeated'))
  }
  for (const mark of [...gained, ...commonest(outMarks)]) {
    rewrites.push(
      replaceAllRegex('[^A-Za-z0-9]+', mark, mark === '-' || mark === '_' ? 'replaceRun.slug' : 'replaceRun'),
    )
    rewrites.push(replaceAllRegex('\\s+', mark, 'replaceRun.space'))
    if (gained.includes(mark)) rewrites.push(camelSplit(mark))
    rewrites.push(trimMarks(mark))
  }
  for (const mask of masks.slice(0, 8)) {
    rewrites.push(replaceAllRegex('[0-9]', mask, 'mask.digit'))
    rewrites.push(replaceAllRegex('[0-9]+', mask, 'mask.number'))
    rewrites.push(replaceAllRegex('[A-Za-z]', mask, 'mask.letter'))
    rewrites.push(replaceAllRegex('[A-Za-z0-9]', mask, 'mask.character'))
  }
  return rewrites
}

const BUCKETS = 256

/** Counts each character of an output; characters far apart may share a bucket, which the distance tolerates. */
function bagOf(text: string): Int16Array {
  const bag = new Int16Array(BUCKETS)
  for (let i = 0; i < text.length; i++) {
    const bucket = text.charCodeAt(i) & (BUCKETS - 1)
    bag[bucket] = (bag[bucket] ?? 0) + 1
  }
  return bag
}

const counts = new Int16Array(BUCKETS)

/** Returns twice the surplus characters of the text plus the missing ones; `bag` holds the characters of `output`. */
function bagDistance(text: string, output: string, bag: Int16Array): number {
  counts.set(bag)
  let distance = output.length
  for (let i = 0; i < text.length; i++) {
    const bucket = text.charCodeAt(i) & (BUCKETS - 1)
    const left = counts[bucket] ?? 0
    distance += left > 0 ? -1 : 2
    counts[bucket] = left - 1
  }
  return distance
}

/**
 * Returns the distance of a vector of texts from the outputs in characters; a text equal to its output has none. It is not
 * counted to its end once it reaches `limit`.
 */
function distanceOf(
  values: readonly (string | undefined)[],
  outputs: readonly string[],
  bags: readonly Int16Array[],
  limit = Infinity,
): number {
  let distance = 0
  for (let row = 0; row < values.length && distance < limit; row++) {
    const value = values[row]
    const output = outputs[row] ?? ''
    const bag = bags[row]
    if (value === undefined || bag === undefined) distance += 2 * output.length
    else if (value !== output) distance += 1 + bagDistance(value, output, bag)
  }
  return distance
}

/** The vector after a rewrite; undefined where it changes no row. */
function applied(values: readonly (string | undefined)[], rewrite: Rewrite): (string | undefined)[] | undefined {
  let after: (string | undefined)[] | undefined
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (value === undefined) continue
    const text = rewrite.apply(value)
    if (text === value) continue
    after ??= [...values]
    after[row] = text
  }
  return after
}

/** Returns true when every text is a part of its source, and some are shorter. */
function isContiguous(values: readonly (string | undefined)[], from: readonly (string | undefined)[]): boolean {
  const isPart = values.every((value, row) => value === undefined || from[row]?.includes(value) === true)
  return isPart && values.some((value, row) => value !== from[row])
}

const DECAPITALISE = rewriteBy(costOf('case.decapitalise'), decapitalisedExpr)
/** Words run together, capitals inside: from words in any letter case. */
const CAMEL = rewriteBy(costOf('case.camel'), (text) =>
  decapitalisedExpr({ op: 'keepChars', text: { op: 'title', text, words: 'letters' }, set: { classes: ['alnum'] } }),
)

/** A text that is longer than this and so many times as long as the outputs is no rewritten form of them. */
const MIN_LONG = 1000
const MAX_RATIO = 4

/**
 * Chains of whole-text rewrites (letter case, removed, kept and replaced characters) that bring a text closer to the
 * outputs with every link; all texts on the way are given, so that they can be parts of a larger output.
 */
export function rewrittenTexts(root: TextNode, outputs: readonly string[], budget: Budget): TextNode[] {
  const longest = shownOf(root.values, outputs.length).reduce((max, value) => Math.max(max, value?.length ?? 0), 0)
  const longestOutput = outputs.reduce((max, output) => Math.max(max, output.length), 0)
  if (longest > MIN_LONG + MAX_RATIO * longestOutput) return []
  const rewrites = [
    ...FIXED_REWRITES,
    CAMEL,
    ...suggestedRewrites(shownOf(root.values, outputs.length), outputs),
    ...editRules(shownOf(root.values, outputs.length), outputs),
  ]
  const bags = outputs.map(bagOf)
  const rootKey = textVectorKey(root.values)
  const cheapest = new Map([[rootKey, root]])
  const stepPrice = Math.ceil((outputs.length * (1 + longest / 64)) / 4)
  let beam = [{ node: root, distance: distanceOf(root.values, outputs, bags) }]
  for (let depth = 0; depth < MAX_DEPTH && beam.length > 0; depth++) {
    const next = new Map<string, (typeof beam)[number]>()
    for (const { node, distance } of beam) {
      budget.spend(rewrites.length * stepPrice)
      for (const rewrite of depth > 0 ? [...rewrites, DECAPITALISE] : rewrites) {
        const values = applied(node.values, rewrite)
        if (values === undefined) continue
        const stepDistance = distanceOf(values, outputs, bags, distance)
        // A new letter case may be a detour: `title` before the spaces go makes camel case.
        if (stepDistance >= distance) continue
        const key = textVectorKey(values)
        const limit = (cheapest.get(key)?.cost.value ?? Infinity) - MIN_SAVING
        if (node.cost.value + rewrite.cost.value > limit) continue
        const built = rewrite.build(node.expr)
        // Characters that are adjacent in every text were cut out as a part rather than filtered.
        const isPart = built.op === 'keepChars' && isContiguous(values, node.values)
        const step: TextNode = {
          expr: built,
          cost: node.cost.plus(rewrite.cost).when(isPart, 'keepChars.part'),
          values,
        }
        if (step.cost.value > limit) continue
        cheapest.set(key, step)
        next.set(key, { node: step, distance: stepDistance })
      }
    }
    beam = [...next.values()]
      .toSorted((a, b) => a.distance + a.node.cost.value - b.distance - b.node.cost.value)
      .slice(0, BEAM_WIDTH)
  }
  cheapest.delete(rootKey)
  return [...cheapest.values()]
}
