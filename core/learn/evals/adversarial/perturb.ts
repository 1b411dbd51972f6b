import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { createRandom, type Random } from '../../../model/random.ts'
import { changeInput, mapTexts } from '../../../compile/stages/verifier/metamorphic.ts'
import type { Metamorphic } from '../../../compile/stages/verifier/verifier-types.ts'

/** Ways of changing an input. */
export const TEMPLATES = [
  'outer_space',
  'letter_case',
  'typo',
  'number_changed',
  'word_changed',
  'empty',
  'noise',
] as const
/** A way of changing an input. */
export type Template = (typeof TEMPLATES)[number]

/** Expected effects on the answer. */
export const EXPECTATIONS = ['same', 'changed', 'must_abstain'] as const

/** Kinds of weakness that a template looks for (reference, section 4). */
export const CATEGORY_OF = {
  outer_space: 'edge-case',
  letter_case: 'edge-case',
  typo: 'ambiguity',
  number_changed: 'multi-constraint',
  word_changed: 'multi-constraint',
  empty: 'edge-case',
  noise: 'out-of-scope',
} as const satisfies Record<Template, string>

/** A row that is changed. */
export interface Seed {
  readonly id: string
  readonly input: Json
  readonly expected: Json
}

/** A changed input, and what has to become of its answer. */
export interface Perturbed {
  readonly template: Template
  readonly input: Json
  readonly expectation: (typeof EXPECTATIONS)[number]
  /** The right answer; null where there must be none. */
  readonly reference: Json
}

/** Facts about the answers of a task, from its rows. */
export interface TaskFacts {
  /** Answers are one of few labels. */
  readonly isLabelled: boolean
  /** Changes that the rows show to leave the answer as it is. */
  readonly invariants: readonly Metamorphic['change'][]
}

const NOISE_CHARS = 'qxzjvkwg'
const NOISE_WORDS = 6
const LEAST_WORD = 5
const WORD = /\p{L}{4,}/gu
const NUMBER = /(?<![\d.,])\d{2,}(?![\d.,])/g

/**
 * Changes a row in every way whose right answer follows from the row: it stays, where the rows of the task say so or no
 * word of a label is touched; it changes along with a word or a number that the answer copies; or there must be none, for
 * inputs that hold nothing of the task. Deterministic.
 */
export function perturb(seed: Seed, { isLabelled, invariants }: TaskFacts): readonly Perturbed[] {
  const random = createRandom(0, `${seed.id}\n${canonicalJson(seed.input)}`)
  const same = (template: Template, input: Json | null): Perturbed[] =>
    input === null || canonicalJson(input) === canonicalJson(seed.input)
      ? []
      : [{ template, input, expectation: 'same', reference: seed.expected }]
  const none = (template: Template, input: Json): Perturbed[] =>
    isLabelled ? [{ template, input, expectation: 'must_abstain', reference: null }] : []
  return [
    ...invariants.flatMap((change) => same(change, changeInput(change, seed.input))),
    ...(isLabelled ? same('typo', withTypo(seed, random)) : []),
    ...copied('number_changed', seed, NUMBER, nextDigits),
    ...copied('word_changed', seed, WORD, nextLetters),
    ...none(
      'empty',
      mapTexts(seed.input, () => ''),
    ),
    ...none(
      'noise',
      mapTexts(seed.input, () => noise(random)),
    ),
  ]
}

/** Swaps two inner letters of a word that the answer does not hold; null without one. */
function withTypo({ input, expected }: Seed, random: Random): Json | null {
  const said = canonicalJson(expected).toLowerCase()
  const words = wordsOf(input).filter((word) => word.length >= LEAST_WORD && !said.includes(word.toLowerCase()))
  const word = words[random.below(Math.max(1, words.length))]
  if (word === undefined) return null
  const at = 1 + random.below(word.length - 3)
  const swapped = word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2)
  return mapTexts(input, (text) => text.replace(word, swapped))
}

/** Replaces a token that the input holds once and the answer copies, in both. */
function copied(
  template: Template,
  { input, expected }: Seed,
  form: RegExp,
  next: (token: string) => string,
): Perturbed[] {
  const texts = textsOf(input)
  const answers = textsOf(expected)
  for (const token of texts.flatMap((text) => text.match(form) ?? [])) {
    const isOnce = texts.join('\n').split(token).length === 2
    if (!isOnce || !answers.some((answer) => tokensOf(answer, form).includes(token))) continue
    const replaced = (value: Json): Json => mapTexts(value, (text) => text.replaceAll(token, next(token)))
    return [{ template, input: replaced(input), expectation: 'changed', reference: replaced(expected) }]
  }
  return []
}

function tokensOf(text: string, form: RegExp): readonly string[] {
  return text.match(form) ?? []
}

/** Each digit but 0 and 9 becomes the next one, so lengths and leading digits keep their form. */
function nextDigits(token: string): string {
  return token.replaceAll(/[1-8]/g, (digit) => String(Number(digit) === 8 ? 1 : Number(digit) + 1))
}

/** Each Latin letter becomes the next one of its case. */
function nextLetters(token: string): string {
  return token.replaceAll(/[a-z]/gi, (letter) => {
    const base = letter === letter.toLowerCase() ? 97 : 65
    return String.fromCodePoint(base + ((letter.charCodeAt(0) - base + 1) % 26))
  })
}

function noise(random: Random): string {
  const word = () =>
    Array.from({ length: 4 + random.below(5) }, () => NOISE_CHARS.charAt(random.below(NOISE_CHARS.length))).join('')
  return Array.from({ length: NOISE_WORDS }, word).join(' ')
}

function wordsOf(value: Json): readonly string[] {
  return textsOf(value).flatMap((text) => text.match(WORD) ?? [])
}

/** The texts in a value, in the order of its members. */
function textsOf(value: Json): readonly string[] {
  const texts: string[] = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  return texts
}
