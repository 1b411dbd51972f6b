import { inferEquality } from '../../../compile/rows/equality/infer-equality.ts'
import { isSameOutput } from '../../../compile/rows/equality/same-output.ts'
import { judgeOutput } from '../../../compile/runtime/composite/judge-leaves.ts'
import { inferShape } from '../../../compile/runtime/composite/shape.ts'
import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'

/** Ways to compare an answer with the expected one. */
export const COMPARATORS = ['exact', 'normalized', 'json_fields'] as const
/** One of them. */
export type Comparator = (typeof COMPARATORS)[number]

/** The result of a comparison. */
export interface Compared {
  readonly isRight: boolean
  /** 0 to 1. */
  readonly score: number
}

/** Compares an answer with the expected output of its row. */
export type CompareOutput = (output: Json, expected: Json) => Compared

/**
 * Makes the comparator of a task. `exact`: the same JSON value. `normalized`: the equality that the compiler infers from the outputs
 * (numbers within the decimals that they show, Unicode forms), and texts without regard to case and white space at their
 * ends or repeated inside. `json_fields`: the same, field by field of the form that the outputs have; right when all are.
 */
export function createComparator(comparator: Comparator, outputs: readonly Json[]): CompareOutput {
  if (comparator === 'exact') return (output, expected) => whole(canonicalJson(output) === canonicalJson(expected))
  const folded = outputs.map(fold)
  const equality = inferEquality(folded)
  if (comparator === 'normalized')
    return (output, expected) => whole(isSameOutput(equality, fold(output), fold(expected)))
  const shape = inferShape(folded)
  return (output, expected) => {
    const fields = judgeOutput(shape, equality, fold(output), fold(expected)).filter((field) => field !== null)
    const right = fields.filter((field) => field === 'right').length
    const isRight = isSameOutput(equality, fold(output), fold(expected))
    return { isRight, score: isRight ? 1 : fields.length === 0 ? 0 : right / fields.length }
  }
}

/** Returns the comparator for outputs of which none was asked for: by fields where all are objects. */
export function comparatorFor(outputs: readonly Json[]): Comparator {
  return outputs.length > 0 && outputs.every(isJsonObject) ? 'json_fields' : 'normalized'
}

function whole(isRight: boolean): Compared {
  return { isRight, score: isRight ? 1 : 0 }
}

/** A value with its texts in one form: NFKC, lower case, one space for any white space. */
function fold(value: Json): Json {
  if (typeof value === 'string') return value.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/g, ' ')
  if (typeof value !== 'object' || value === null) return value
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fold(part)]))
  return value.map(fold)
}
