import { eachFeature } from '../../../model/classifier/features.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { isJsonObject } from '../../../kernel/json/json.ts'

/** The views of an input: what it says, and the form in which it says it. */
export const VIEWS = ['content', 'form'] as const
export type View = (typeof VIEWS)[number]

/** The distinct features of an input in each view, as 32-bit hashes. */
export type InputViews = Readonly<Record<View, ReadonlySet<number>>> & {
  /** The feature of its form as a whole, which is one of the form. */
  readonly whole: number
}

/** Words and the character trigrams in them. */
const CONTENT = { wordGrams: 1, charGrams: [3, 3] } as const
/** Characters of an input that are read. */
const MOST_CHARS = 4000
/** Characters of a text whose form is read: later ones repeat it. */
const MOST_FORM_CHARS = 400
/** Elements of a list whose form is read. */
const MOST_ELEMENTS = 20
/** Lengths of the runs of classes that are features. */
const FORM_GRAMS = [1, 2, 3, 4]
/** Runs of a text that count in the form as a whole. */
const WHOLE_FORM_RUNS = 12

/** Returns the features of an input in each view. */
export function viewsOf(input: Json): InputViews {
  const content = new Set<number>()
  eachFeature(input, CONTENT, (hash) => content.add(hash), MOST_CHARS)
  const form = new Set<number>()
  const leaves: string[] = []
  const add = (text: string): void => {
    form.add(hashOf(text))
  }
  readForm(input, '', { add, leaf: (text) => leaves.push(text) })
  const whole = hashOf(leaves.join('\n'))
  form.add(whole)
  return { content, form, whole }
}

/** Takes what is read of a form: its features, and the form of each leaf. */
interface FormReader {
  readonly add: (feature: string) => void
  readonly leaf: (form: string) => void
}

function readForm(value: Json, path: string, reader: FormReader): void {
  const { add, leaf } = reader
  if (typeof value === 'string') return readText(value, path, reader)
  if (typeof value === 'number') return readNumber(value, path, reader)
  if (value === null || typeof value === 'boolean') {
    const type = `${path} is ${value === null ? 'null' : 'boolean'}`
    leaf(type)
    return add(type)
  }
  if (isJsonObject(value)) {
    add(`${path} is object`)
    for (const [name, inner] of Object.entries(value)) {
      add(`${path} has ${name}`)
      if (inner !== undefined) readForm(inner, `${path}.${name}`, reader)
    }
    return
  }
  add(`${path} is list`)
  add(`${path} has ${Math.min(8, value.length)} elements`)
  for (const element of value.slice(0, MOST_ELEMENTS)) readForm(element, `${path}[]`, reader)
}

function readNumber(value: number, path: string, { add, leaf }: FormReader): void {
  leaf(`${path} is ${Number.isInteger(value) ? 'whole' : 'broken'}`)
  add(`${path} is number`)
  add(`${path} is ${Number.isInteger(value) ? 'whole' : 'broken'}`)
  add(`${path} is ${value < 0 ? 'below' : 'from'} zero`)
  add(`${path} has ${Math.floor(Math.log10(Math.max(1, Math.abs(value))))} digits before the point`)
  const [, decimals = ''] = String(value).split('.')
  add(`${path} has ${Math.min(4, decimals.length)} decimals`)
}

/** The classes of a text's characters in runs, such as `A a+ -` for "Ada-": their grams, and the whole. */
function readText(text: string, path: string, { add, leaf }: FormReader): void {
  add(`${path} is text`)
  const runs = runsOf(text.slice(0, MOST_FORM_CHARS))
  leaf(`${path} = ${runs.slice(0, WHOLE_FORM_RUNS).join(' ')}`)
  const framed = ['^', ...runs, '$']
  for (const size of FORM_GRAMS) {
    for (let at = 0; at + size <= framed.length; at++) add(`${path} ~ ${framed.slice(at, at + size).join(' ')}`)
  }
  add(`${path} has ${Math.floor(Math.log2(text.length + 1))} in length`)
  add(`${path} has ${Math.min(12, text.split(/\s+/).length)} words`)
}

const RUN = /\p{Lu}+|[\p{Ll}\p{M}]+|\p{L}+|\p{N}+|\s+|./gsu

/** Numbers keep their length up to four digits, so that a year is no day; words do not. */
function runsOf(text: string): readonly string[] {
  return (text.match(RUN) ?? []).map((run) => {
    if (/^\p{Lu}/u.test(run)) return run.length === 1 ? 'A' : 'A+'
    if (/^[\p{Ll}\p{M}]/u.test(run)) return run.length === 1 ? 'a' : 'a+'
    if (/^\p{L}/u.test(run)) return 'x'
    if (/^\p{N}/u.test(run)) return `9${Math.min(5, run.length)}`
    return /^\s/.test(run) ? (run.length === 1 ? '_' : '__') : run
  })
}

/** FNV-1a over UTF-16 units, finished as MurmurHash3 does. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
