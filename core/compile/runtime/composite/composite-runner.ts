import { DomainError } from '../../../kernel/errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import { parseProgram } from '../../language/parse.ts'
import { programRunner } from '../../language/runner.ts'
import { classifierRunner } from '../runners/classifier-runner.ts'
import type { LeafAnswer, Runner, RunResult } from '../recipe.ts'
import { tabularRunner } from '../runners/tabular-runner.ts'
import { assemble, numberLeaves } from './assemble.ts'
import { parseComposite, type LeafRecipe, type ParsedComposite } from './composite-recipe.ts'
import { describePlace } from './places.ts'

/** Weights of leaves by their member. */
export type LeafWeights = ReadonlyMap<string, Uint8Array>

/** Returns what a leaf is asked: the input, beside the answers that it reads under their pointers. */
export function leafInput(input: Json, read: Readonly<Record<string, Json>>): Json {
  return Object.keys(read).length === 0 ? input : { input, read }
}

/**
 * Makes a composite ready to run. Each leaf has the bounds of a whole recipe. The confidence is the product of those
 * of the leaves that were asked. Where a leaf abstains, the optional value that it belongs to is absent; without one the
 * whole answer abstains. A run throws `recipe_failed` that names the leaf which has no answer. Throws `recipe_failed` when
 * the recipe is not well formed or weights are missing.
 */
export function compositeRunner(recipe: Json, weights: LeafWeights): Runner {
  const composite = parseComposite(recipe)
  const tree = numberLeaves(composite.root)
  const runners = composite.leaves.map(({ leaf, weights: facts, ...place }) => {
    try {
      return openLeaf(leaf, facts === null ? undefined : weights.get(facts.member))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      throw MODEL_ERRORS.recipe_failed(`${describePlace(place)}: ${error.message}`, { cause: error })
    }
  })
  return {
    run(input): RunResult {
      const ask = createAsking(composite, runners, input)
      const { state, output, confidence } = assemble(tree, (number) => {
        const { answer, error } = ask(number)
        if (error === undefined) return answer
        const place = composite.leaves[number]
        const leaf = place === undefined ? '' : describePlace(place)
        const details = { ...error.details, leaf }
        throw MODEL_ERRORS.recipe_failed(`${leaf} has no answer: ${error.message}`, { cause: error, details })
      })
      if (state === 'value') return { abstained: false, output, confidence }
      return { abstained: true, output: null, confidence }
    },
    leaves(input) {
      const ask = createAsking(composite, runners, input)
      return composite.leaves.map((_, number) => ask(number).answer)
    },
  }
}

function openLeaf(leaf: LeafRecipe, weights: Uint8Array | undefined): Runner {
  if (leaf.by === 'program') return programRunner(parseProgram(leaf.program))
  if (weights === undefined) throw MODEL_ERRORS.recipe_failed(`${leaf.weights.member} is missing`)
  return leaf.by === 'classifier' ? classifierRunner(leaf.classifier, weights) : tabularRunner(leaf.tabular, weights)
}

/** The answer of a leaf, and the error that it ended in. */
interface Asked {
  readonly answer: LeafAnswer
  readonly error?: DomainError
}

/** Asks leaves for one input, each once at most: those that another leaf reads before it. */
function createAsking({ reads }: ParsedComposite, runners: readonly Runner[], input: Json): (number: number) => Asked {
  const known = new Map<number, Asked>()
  const answer = (number: number): Asked => {
    const read: Record<string, Json> = {}
    for (const [pointer, other] of reads[number] ?? []) {
      const found = ask(other)
      // Without an answer to read, the leaf has none either.
      if (found.error !== undefined || found.answer.abstained) return found
      read[pointer] = found.answer.output
    }
    return askOne(runners[number], leafInput(input, read))
  }
  const ask = (number: number): Asked => {
    const found = known.get(number) ?? answer(number)
    known.set(number, found)
    return found
  }
  return ask
}

function askOne(runner: Runner | undefined, input: Json): Asked {
  try {
    if (runner === undefined) throw new TypeError('a leaf has no runner')
    return { answer: { ...runner.run(input), failed: false } }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { answer: { output: null, abstained: false, confidence: 0, failed: true }, error }
  }
}
