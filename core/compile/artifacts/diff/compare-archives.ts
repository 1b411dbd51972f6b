import { DomainError } from '../../../kernel/errors.ts'
import { EXACT, type Equality } from '../../rows/equality/equality.ts'
import { loadArchive, type LoadedArchive } from '../../runtime/load-archive.ts'
import type { JudgedRow, RowContent } from '../diagnosis/judged-row.ts'
import type { RowSources } from '../diagnosis/thread/row-sources.ts'
import { joinUnpacked } from '../diagnosis/thread/join-content.ts'
import { compareRecipes, type ComparedRecipes } from './compare-recipes.ts'
import { describeRecipe } from './describe-recipe.ts'
import { pairRows, type RowPair } from './pair-rows.ts'
import { disagreementsOf, unionOfInputs, type Disagreement, type RunAnswer, type SharedInput } from './run-both.ts'

/** Inputs that both artifacts are run on, and those of them where one needs a base model. */
const MOST_INPUTS = 2000
const MOST_GENERATED = 50
/** Time for running both, milliseconds: fewer inputs are run when it is over. */
const RUN_MS = 10_000
/** Rows that are shown of each kind. */
export const SHOWN_ROWS = 100

/** Two artifacts with the results of their rows. */
export interface ArchivePair {
  readonly a: RowSources
  readonly b: RowSources
}

/** A row that one artifact was right on and the other was not, out of its fit in both evaluations. */
export interface FlippedRow extends RowPair {
  readonly flip: 'lost' | 'won'
  /** Null where only digests are kept. */
  readonly contentA: RowContent | null
  readonly contentB: RowContent | null
}

/** The comparison of two archives. */
export interface ComparedArchives {
  readonly recipes: ComparedRecipes
  /** Lost rows first, `SHOWN_ROWS` of each kind at most. */
  readonly flipped: readonly FlippedRow[]
  /** Stored evaluation inputs of both. */
  readonly inputs: number
  readonly equality: Equality
  /** Null where a side needs a base model: then `waiting` has the inputs, and the answers of the other side. */
  readonly runs: ComparedRuns | null
  readonly waiting: {
    readonly inputs: readonly SharedInput[]
    readonly a: readonly RunAnswer[] | null
    readonly b: readonly RunAnswer[] | null
  } | null
}

/** The answers of both artifacts to the same inputs. */
export interface ComparedRuns {
  readonly ran: number
  readonly differing: number
  /** `SHOWN_ROWS` at most. */
  readonly rows: readonly Disagreement[]
}

/** Compares two archives: their recipes, the rows that flipped, and their answers to all stored inputs. Throws `invalid_archive`. */
export async function compareArchives({ a, b }: ArchivePair): Promise<ComparedArchives> {
  const [one, other] = [await openSide(a), await openSide(b)]
  const inputs = unionOfInputs(one.rows, other.rows)
  const equality = other.loaded.content.equality ?? EXACT
  const isPure = one.loaded.recipe.kind === 'pure' && other.loaded.recipe.kind === 'pure'
  const chosen = inputs.slice(0, isPure ? MOST_INPUTS : MOST_GENERATED)
  const until = performance.now() + RUN_MS
  const answersB = answersOf(other.loaded, chosen, until - RUN_MS / 2)
  const answersA = answersOf(one.loaded, chosen, until)
  return {
    recipes: compareRecipes(one.description, other.description),
    flipped: flippedRows(pairRows(a.records, b.records), one.rows, other.rows),
    inputs: inputs.length,
    equality,
    runs: answersA === null || answersB === null ? null : compareRuns(chosen, answersA, answersB, equality),
    waiting: isPure ? null : { inputs: chosen, a: answersA, b: answersB },
  }
}

/** Compares answers to the same inputs, as far as both were run. */
export function compareRuns(
  inputs: readonly SharedInput[],
  a: readonly RunAnswer[],
  b: readonly RunAnswer[],
  equality: Equality,
): ComparedRuns {
  const pairs = inputs.flatMap((input, at) => {
    const [one, other] = [a[at], b[at]]
    return one === undefined || other === undefined ? [] : [{ input, a: one, b: other }]
  })
  const differing = disagreementsOf(pairs, equality)
  return { ran: pairs.length, differing: differing.length, rows: differing.slice(0, SHOWN_ROWS) }
}

async function openSide(sources: RowSources) {
  const loaded = await loadArchive(sources.archive)
  const { build, members } = loaded.archive
  const { rows } = joinUnpacked(loaded.archive, sources)
  const training = members.get('training.json')
  return { loaded, rows, description: describeRecipe({ content: loaded.content, build, training }) }
}

/** Returns the answers up to a time; null for a recipe that needs a base. */
function answersOf(
  { recipe, guard }: LoadedArchive,
  inputs: readonly SharedInput[],
  until: number,
): readonly RunAnswer[] | null {
  if (recipe.kind !== 'pure') return null
  const answers: RunAnswer[] = []
  for (const { input } of inputs) {
    if (performance.now() > until) break
    try {
      const { output, abstained, confidence } = guard(input, recipe.runner.run(input))
      answers.push({ output, abstained, confidence, error: null })
    } catch (error) {
      answers.push(failedAnswer(error))
    }
  }
  return answers
}

/** Returns the answer of a run that failed. Throws what is no error of the recipe. */
export function failedAnswer(error: unknown): RunAnswer {
  if (!(error instanceof DomainError)) throw error
  return { output: null, abstained: false, confidence: null, error: error.code }
}

function flippedRows(
  pairs: readonly RowPair[],
  rowsA: readonly JudgedRow[],
  rowsB: readonly JudgedRow[],
): readonly FlippedRow[] {
  const [contentsA, contentsB] = [rowsA, rowsB].map((rows) => new Map(rows.map(({ id, content }) => [id, content])))
  const flipped = (flip: 'lost' | 'won') =>
    pairs
      .filter(({ a, b }) => a.right !== b.right && a.right === (flip === 'lost'))
      .slice(0, SHOWN_ROWS)
      .map(({ a, b }) => ({
        a,
        b,
        flip,
        contentA: contentsA?.get(a.rowId) ?? null,
        contentB: contentsB?.get(b.rowId) ?? null,
      }))
  return [...flipped('lost'), ...flipped('won')]
}
