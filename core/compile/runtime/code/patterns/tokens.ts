import type { Pattern } from '../../../language/ast.ts'
import type { ClassName, TokenName } from '../../../language/names.ts'
import { translateRegex } from './regex.ts'

/** Writes the inside of a class of a regular expression for named classes. */
export type ClassWriter = (classes: readonly ClassName[]) => string

type TokenSource = (members: ClassWriter) => string

const runOf =
  (name: ClassName): TokenSource =>
  (members) =>
    `[${members([name])}]+`

/** The tokens as regular expressions; `start` and `end` are written by each language. */
const TOKENS: Readonly<Record<Exclude<TokenName, 'start' | 'end'>, TokenSource>> = {
  digits: runOf('digit'),
  lower: runOf('lower'),
  upper: runOf('upper'),
  alpha: runOf('alpha'),
  alnum: runOf('alnum'),
  space: runOf('space'),
  punct: runOf('punct'),
  anyDigits: runOf('anyDigit'),
  nonspace: (members) => `[^${members(['space'])}]+`,
  line: () => '[^\\n\\r]+',
  word: (members) => {
    const word = `[${members(['alnum'])}_]+`
    return `${word}(?:['\\u2019\\-]${word})*`
  },
  proper: (members) => `[${members(['upper'])}][${members(['lower'])}]+`,
  number: (members) =>
    `(?:(?<![${members(['alnum'])}${members(['punct'])}])[+\\-])?(?:[0-9]{1,3}(?:,[0-9]{3}(?![0-9]))+|[0-9]+)(?:\\.[0-9]+)?`,
}

/** A token as a regular expression. */
export function tokenSource(name: Exclude<TokenName, 'start' | 'end'>, members: ClassWriter): string {
  return TOKENS[name](members)
}

/** True for a pattern that can match the empty text. */
export function mayMatchEmpty(pattern: Pattern): boolean {
  if (pattern.kind === 'token') return pattern.name === 'start' || pattern.name === 'end'
  return pattern.kind === 'regex' && translateRegex(pattern.regex, 'typescript').mayBeEmpty
}
