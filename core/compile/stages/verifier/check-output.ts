import { canonicalJson, hashJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { foldedWords, inputText } from '../../rows/split/input-text.ts'
import { classesOf, numbersOf, shapeOf } from './text-shape.ts'
import { jsonTypeOf, valuesAt } from './values-at.ts'
import type { Check, CheckResult, Verifier } from './verifier-types.ts'

/** Facts of an input that checks use; computed once per input. */
interface InputFacts {
  readonly input: Json
  readonly text: string
  readonly folded: string
  readonly words: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
}

function factsOf(input: Json): InputFacts {
  const text = inputText(input)
  return {
    input,
    text,
    folded: text.toLowerCase(),
    words: new Set(foldedWords(text)),
    numbers: new Set(numbersOf(text)),
  }
}

function isCopied(check: Check & { kind: 'copied' }, value: Json, facts: InputFacts): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return true
  const text = String(value)
  if (check.unit === 'characters') {
    return (text.toLowerCase().match(/[\p{L}\p{N}]/gu) ?? []).every((character) => facts.folded.includes(character))
  }
  if (check.unit === 'tokens') return foldedWords(text).every((word) => facts.words.has(word))
  return check.fold ? facts.folded.includes(text.toLowerCase()) : facts.text.includes(text)
}

function keepsNumbers(check: Check & { kind: 'numbers_kept' }, value: Json, facts: InputFacts): boolean {
  const numbers = numbersOf(inputText(value))
  if (check.direction === 'from_input') return numbers.every((number) => facts.numbers.has(number))
  const given = new Set(numbers)
  return [...facts.numbers].every((number) => given.has(number))
}

/**
 * Returns true when one value passes a check. A text check passes values of other types, which the type check covers.
 */
function passes(check: Check, value: Json, facts: InputFacts): boolean {
  switch (check.kind) {
    case 'type':
      return check.types.includes(jsonTypeOf(value))
    case 'one_of': {
      const key = canonicalJson(value)
      return check.values.some((allowed) => canonicalJson(allowed) === key)
    }
    case 'integer':
      return typeof value !== 'number' || Number.isInteger(value)
    case 'range':
      return typeof value !== 'number' || (value >= check.min && value <= check.max)
    case 'length':
      return typeof value !== 'string' || (value.length >= check.min && value.length <= check.max)
    case 'shape':
      return typeof value !== 'string' || check.shapes.includes(shapeOf(value, check.level))
    case 'characters':
      return typeof value !== 'string' || [...classesOf(value)].every((one) => check.classes.includes(one))
    case 'members':
      if (!isJsonObject(value)) return true
      if (!check.required.every((member) => Object.hasOwn(value, member))) return false
      return !check.closed || Object.keys(value).every((member) => check.required.includes(member))
    case 'items':
      return !Array.isArray(value) || (value.length >= check.min && value.length <= check.max)
    case 'copied':
      return isCopied(check, value, facts)
    case 'numbers_kept':
      return keepsNumbers(check, value, facts)
    case 'not_output': {
      const input = hashJson(facts.input)
      const output = hashJson(value)
      return !check.pairs.some((pair) => pair.input === input && pair.output === output)
    }
  }
}

/** The ids of the checks that an output fails. */
export function failedChecks(checks: readonly Check[], input: Json, output: Json): readonly string[] {
  const facts = factsOf(input)
  return checks
    .filter((check) => !valuesAt(output, check.path).every((value) => passes(check, value, facts)))
    .map((check) => check.id)
}

/** Checks one output of a recipe. Pure and linear in the sizes of input and output. */
export function checkOutput(verifier: Verifier, input: Json, output: Json): CheckResult {
  const failed = failedChecks(verifier.checks, input, output)
  return { pass: failed.length === 0, failed }
}
