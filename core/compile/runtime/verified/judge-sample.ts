import { hashJson, type Json, type Sha256 } from '../../../kernel/json/json.ts'
import { DEFAULT_FUEL } from '../../language/evaluate/frame.ts'
import { compileProgram, type CompiledProgram } from '../../language/evaluate/evaluate.ts'
import { parseProgram } from '../../language/parse.ts'
import { inferEquality } from '../../rows/equality/infer-equality.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import { readAnswer } from '../../stages/teacher/answer-text.ts'
import { GRAMMAR } from '../../stages/teacher/programs/grammar.ts'
import { readProgram } from '../../stages/teacher/programs/read-program.ts'

/** An input with the output that is right for it. */
export interface TestCase {
  readonly input: Json
  readonly expected: Json
}

/** Decides whether a sample is right. */
export type Verifier =
  /** One test case: the sample is the answer. */
  | { readonly kind: 'answer'; readonly cases: readonly [TestCase] }
  /** Several: the sample is a program of the recipe language, which is run on each input. */
  | { readonly kind: 'program'; readonly cases: readonly TestCase[] }
  /** A recipe of the tenant judges the sample: its output has to be `expected`. */
  | { readonly kind: 'judge'; readonly versionId: string; readonly artifactHash: Sha256; readonly expected: Json }

/** Returns the digest of a verifier, which the receipt states. */
export function verifierHash(verifier: Verifier): Sha256 {
  if (verifier.kind !== 'judge') {
    const cases = verifier.cases.map(({ input, expected }) => ({ input, expected }))
    return hashJson({ kind: verifier.kind, test_cases: cases })
  }
  const { kind, versionId, artifactHash, expected } = verifier
  return hashJson({ kind, version_id: versionId, artifact_hash: artifactHash, expected })
}

/** Steps that one program may take over all its test cases; one case alone has the steps of a recipe. */
const FUEL_OF_ALL = 4 * DEFAULT_FUEL

/** Returns the steps that a program may take for each of so many test cases. */
export function fuelForEach(cases: number): number {
  return Math.min(DEFAULT_FUEL, Math.floor(FUEL_OF_ALL / Math.max(1, cases)))
}

/** Asks a model for a program instead of an answer; follows the caller's own system text. */
export const PROGRAM_INSTRUCTIONS = `Answer with a program in the language below and nothing else: one JSON object. A program maps one JSON input to one JSON output, without side effects. It is run on inputs that you do not see.

${GRAMMAR}`

/**
 * Returns true when a text is the expected output: the text itself, but for spaces around it, where that is a text; else
 * the JSON value in it. Numbers are compared as the decimals of `expected` allow.
 */
export function isExpectedText(text: string, expected: Json): boolean {
  const equality = inferEquality([expected])
  if (typeof expected === 'string') return isSameOutput(equality, text.trim(), expected.trim())
  const read = readAnswer(text)
  return read.ok && isSameOutput(equality, read.value, expected)
}

/** Returns true when an output is the expected one, by the equality that compiles use. */
export function isExpectedOutput(output: Json, expected: Json): boolean {
  return isSameOutput(inferEquality([expected]), output, expected)
}

/** A sample read as a program, or the reason why it is none. */
export type SampledProgram =
  | { readonly program: CompiledProgram; readonly text: string; readonly problem: null }
  | { readonly program: null; readonly text: string; readonly problem: string }

/** Reads a sample as a program of the recipe language that may take `fuel` steps for an input. Never throws because of its text. */
export function openSample(text: string, fuel: number): SampledProgram {
  const read = readProgram(text)
  if (read.kind !== 'program') return { program: null, text, problem: read.problem }
  const program = compileProgram(parseProgram(read.recipe), { fuel })
  return { program, text: JSON.stringify(read.recipe), problem: null }
}

/** Returns true when a program has the expected output for the input of a test case. */
export function passesCase(program: CompiledProgram, { input, expected }: TestCase): boolean {
  const output = program.attempt(input)
  return output !== undefined && isExpectedOutput(output, expected)
}

/** The verdict on one sample. */
export interface JudgedSample {
  /** The judged text: the whole sample, or the program in it. */
  readonly source: string
  readonly passes: number
  readonly total: number
  /** Characters of its text. */
  readonly length: number
  /** Why it could not be judged; null for a sample that was. */
  readonly problem: string | null
}

/** Returns the place of the best sample: the most passes, then the shorter text, then the earlier one. */
export function bestOf(samples: readonly JudgedSample[]): number {
  let best = 0
  for (const [at, sample] of samples.entries()) {
    const leader = samples[best]
    if (leader === undefined || sample.passes < leader.passes) continue
    if (sample.passes > leader.passes || sample.length < leader.length) best = at
  }
  return best
}
