import { canonicalJson, hashJson, isJsonObject, type Json, type Sha256 } from '../../../kernel/json/json.ts'
import { foldedWords, inputText } from '../../rows/split/input-text.ts'
import { familiarity, readBits } from './familiar.ts'
import { classesOf, numbersOf, shapeOf } from './text-shape.ts'
import { jsonTypeOf, valuesAt } from './values-at.ts'
import type { Check } from './verifier-types.ts'

/** Facts of an input that checks use; each is computed once, when a check asks for it. */
class InputFacts {
  readonly #input: Json
  #text: string | undefined
  #folded: string | undefined
  #words: ReadonlySet<string> | undefined
  #numbers: ReadonlySet<string> | undefined
  #hash: Sha256 | undefined

  constructor(input: Json) {
    this.#input = input
  }

  get text(): string {
    return (this.#text ??= inputText(this.#input))
  }

  get folded(): string {
    return (this.#folded ??= this.text.toLowerCase())
  }

  get words(): ReadonlySet<string> {
    return (this.#words ??= new Set(foldedWords(this.text)))
  }

  get numbers(): ReadonlySet<string> {
    return (this.#numbers ??= new Set(numbersOf(this.text)))
  }

  get hash(): Sha256 {
    return (this.#hash ??= hashJson(this.#input))
  }
}

/** Decides one check for one value at its path. */
type ValueTest = (value: Json, facts: InputFacts) => boolean

function isCopied({ unit, fold }: Check & { kind: 'copied' }): ValueTest {
  return (value, facts) => {
    if (typeof value !== 'string' && typeof value !== 'number') return true
    const text = String(value)
    if (unit === 'characters') {
      return (text.toLowerCase().match(/[\p{L}\p{N}]/gu) ?? []).every((character) => facts.folded.includes(character))
    }
    if (unit === 'tokens') return foldedWords(text).every((word) => facts.words.has(word))
    return fold ? facts.folded.includes(text.toLowerCase()) : facts.text.includes(text)
  }
}

function keepsNumbers({ direction }: Check & { kind: 'numbers_kept' }): ValueTest {
  return (value, facts) => {
    const numbers = numbersOf(inputText(value))
    if (direction === 'from_input') return numbers.every((number) => facts.numbers.has(number))
    const given = new Set(numbers)
    return [...facts.numbers].every((number) => given.has(number))
  }
}

function hasMembers({ required, closed }: Check & { kind: 'members' }): ValueTest {
  const known = new Set(required)
  return (value) => {
    if (!isJsonObject(value)) return true
    if (!required.every((member) => Object.hasOwn(value, member))) return false
    return !closed || Object.keys(value).every((member) => known.has(member))
  }
}

/** Makes the test of a check. A text check passes values of other types, which the type check covers. */
function valueTest(check: Check): ValueTest {
  switch (check.kind) {
    case 'type': {
      const types = new Set(check.types)
      return (value) => types.has(jsonTypeOf(value))
    }
    case 'one_of': {
      const texts = new Set(check.values.filter((value) => typeof value === 'string'))
      const keys = new Set(check.values.map((value) => canonicalJson(value)))
      return (value) => (typeof value === 'string' ? texts.has(value) : keys.has(canonicalJson(value)))
    }
    case 'integer':
      return (value) => typeof value !== 'number' || Number.isInteger(value)
    case 'range':
      return (value) => typeof value !== 'number' || (value >= check.min && value <= check.max)
    case 'length':
      return (value) => typeof value !== 'string' || (value.length >= check.min && value.length <= check.max)
    case 'shape': {
      const shapes = new Set(check.shapes)
      return (value) => typeof value !== 'string' || shapes.has(shapeOf(value, check.level))
    }
    case 'characters': {
      const allowed = new Set(check.classes)
      return (value) => typeof value !== 'string' || [...classesOf(value)].every((one) => allowed.has(one))
    }
    case 'members':
      return hasMembers(check)
    case 'items':
      return (value) => !Array.isArray(value) || (value.length >= check.min && value.length <= check.max)
    case 'copied':
      return isCopied(check)
    case 'numbers_kept':
      return keepsNumbers(check)
    case 'familiar': {
      const bits = readBits(check.bits)
      return (value) => typeof value !== 'string' || familiarity(value, bits) >= check.min_share
    }
    case 'not_output': {
      const pairs = new Set(check.pairs.map(({ input, output }) => `${input} ${output}`))
      return (value, facts) => !pairs.has(`${facts.hash} ${hashJson(value)}`)
    }
  }
}

/** Checks made ready to run. */
export interface CompiledChecks {
  /** The ids of all checks, in their order. */
  readonly ids: readonly string[]
  /** Returns the ids of the checks that an output fails. Pure, and linear in the sizes of input and output. */
  failed(input: Json, output: Json): readonly string[]
}

const NONE: readonly string[] = []

/** Makes checks ready to run: sets and bits are built once. */
export function compileChecks(checks: readonly Check[]): CompiledChecks {
  const tests = checks.map((check) => ({ id: check.id, path: check.path, test: valueTest(check) }))
  return {
    ids: checks.map(({ id }) => id),
    failed(input, output) {
      const facts = new InputFacts(input)
      let failed: string[] | undefined
      for (const { id, path, test } of tests) {
        const isPassed =
          path.length === 0 ? test(output, facts) : valuesAt(output, path).every((value) => test(value, facts))
        if (!isPassed) (failed ??= []).push(id)
      }
      return failed ?? NONE
    },
  }
}
